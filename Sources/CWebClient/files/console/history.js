// The graphs of the last hour, which the nodes keep in memory.
import * as api from './api.js';
import * as chart from './chart.js';
import * as format from './format.js';
import { byID, element, reconcile, setAttribute, setNote, setText } from '../shared/dom.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Milliseconds between two look-ups, equal to a step of the server. */
const INTERVAL = 10_000;

const perSecond = (value) => `${format.count(value)}/s`;

const CHARTS = [
  { key: 'connections', label: 'Connections', format: format.count },
  { key: 'messages_per_second', label: 'Messages in', format: perSecond },
  { key: 'deliveries_per_second', label: 'Deliveries', format: perSecond },
  { key: 'lag_events', label: 'Not stored yet', format: (value) => `${format.count(value)} ${value === 1 ? 'event' : 'events'}` },
  { key: 'requests_per_second', label: 'REST requests', format: perSecond },
  { key: 'request_ms', label: 'REST duration', format: format.latency },
];

export class HistoryView {
  #at = 0;

  /** Shows the present hour, unless it was shown within the last ten seconds. */
  async refresh(now = Date.now()) {
    if (now - this.#at < INTERVAL && now >= this.#at) return;
    this.#at = now;
    this.render(await api.history());
  }

  /** Forgets the hour for another login. */
  clear() {
    this.#at = 0;
    byID('charts').replaceChildren();
    setNote(byID('charts-note'), null);
  }

  render(history) {
    const silent = history.silent_nodes;
    setNote(byID('charts-note'), silent.length ? `No answer from ${silent.join(', ')}: their part is missing.` : null);
    reconcile(byID('charts'), CHARTS, ({ label }) => make(label), (figure, item) => update(figure, item, history));
  }
}

function make(label) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${chart.WIDTH} ${chart.HEIGHT}`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.append(document.createElementNS(SVG, 'path'));
  return element('figure', { class: 'chart' },
    element('figcaption', {}, element('span', { class: 'label' }, label), element('span', { class: 'value' })), svg,
    element('p', { class: 'axis', attributes: { 'aria-hidden': 'true' } },
      element('span', {}, '1 h ago'), element('span', { class: 'top' }), element('span', {}, 'now')));
}

function update(figure, { key, label, format: write }, history) {
  const values = chart.hour(history, key);
  const found = chart.figures(values);
  const top = chart.ceiling(found?.highest ?? 0);
  const svg = figure.querySelector('svg');
  setAttribute(svg, 'aria-label', chart.describe(label, values, write));
  setAttribute(svg.firstElementChild, 'd', chart.path(values, top));
  setText(figure.querySelector('.value'), found ? write(found.newest) : '–');
  setText(figure.querySelector('.top'), `full height ${write(top)}`);
}
