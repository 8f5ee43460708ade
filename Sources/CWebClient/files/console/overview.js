// The overview of the cluster: tiles, nodes, busiest threads.
import * as api from './api.js';
import { confirm } from './confirm.js';
import * as format from './format.js';
import { byID, element, reconcile, setText } from '../shared/dom.js';
import { visible } from '../shared/visible.js';

/** The number of samples in the sparklines: two minutes. */
const HISTORY = 60;
const SVG = 'http://www.w3.org/2000/svg';

/** Shows the data passed to `render`; its history consists of earlier calls. */
export class OverviewView {
  #history = { messages: [], deliveries: [], sockets: [] };
  #onChanged;
  #onError;

  /**
   * @param onChanged called after an action on a node
   * @param onError called with the reason of a failed action
   */
  constructor(onChanged, onError) {
    this.#onChanged = onChanged;
    this.#onError = onError;
  }

  render(overview, threads) {
    this.#remember(overview.totals);
    this.#renderHealth(overview);
    this.#renderTiles(overview);
    reconcile(byID('nodes'), overview.nodes.map((node) => ({ key: node.instance, node })),
      () => this.#makeNode(), (row, { node }) => this.#updateNode(row, node, overview.date_ms));
    this.#renderThreads(threads);
  }

  /** Clears the history for another login. */
  clear() {
    for (const values of Object.values(this.#history)) values.length = 0;
    for (const id of ['tiles', 'nodes', 'top']) byID(id).replaceChildren();
  }

  #remember(totals) {
    const now = {
      messages: totals.messages_in_per_second, deliveries: totals.deliveries_per_second, sockets: totals.sockets,
    };
    for (const [name, values] of Object.entries(this.#history)) {
      values.push(now[name]);
      if (values.length > HISTORY) values.shift();
    }
  }

  #renderHealth(overview) {
    const problems = format.problems(overview);
    const health = byID('health');
    health.className = `pill ${problems.length ? 'bad' : 'good'}`;
    setText(health, problems.length ? problems.join(' · ') : 'All well');
    document.title = problems.length ? `${problems[0]} – Parley console` : 'Parley console';
  }

  // Tiles

  #renderTiles(overview) {
    const { totals, persist } = overview;
    const link = (state) => (state === 'up' ? 'good' : 'bad');
    const tiles = [
      { key: 'sockets', label: 'Sockets', value: format.count(totals.sockets + totals.line_sockets),
        note: `${format.count(totals.users)} users`, curve: this.#history.sockets },
      { key: 'messages', label: 'Messages in', value: `${format.count(totals.messages_in_per_second)}/s`,
        note: 'from sockets', curve: this.#history.messages },
      { key: 'deliveries', label: 'Deliveries', value: `${format.count(totals.deliveries_per_second)}/s`,
        note: 'frames to sockets', curve: this.#history.deliveries },
      { key: 'lag', label: 'Not stored yet', value: format.lag({ ...persist, lag_seconds: 0 }),
        note: `${format.age(persist)}${format.count(totals.stored_per_second)} stored/s`,
        state: persist.lag_seconds >= 10 ? 'bad' : 'good' },
      { key: 'redis', label: 'Redis', value: { up: 'up', partly: 'partly unavailable', unavailable: 'unavailable', none: 'none' }[overview.redis.state],
        note: this.#linkNote(overview.redis, 'in memory, one node'),
        state: overview.redis.state === 'none' ? '' : link(overview.redis.state) },
      { key: 'database', label: 'Database', value: { up: 'up', partly: 'partly unavailable', unavailable: 'unavailable', none: '…' }[overview.database.state],
        note: this.#linkNote(overview.database, 'no status yet'),
        state: overview.database.state === 'none' ? '' : link(overview.database.state) },
      { key: 'cpu', label: 'CPU', value: format.cores(totals.cpu),
        note: `${format.bytes(totals.resident_bytes)} on ${totals.nodes === 1 ? '1 node' : `${totals.nodes} nodes`}` },
    ];
    reconcile(byID('tiles'), tiles, () => this.#makeTile(), (tile, item) => this.#updateTile(tile, item));
  }

  #linkNote(link, none) {
    if (link.state === 'none') return none;
    return link.state === 'up' ? `answers in ${format.latency(link.latency_ms)}` : (link.reason ?? '');
  }

  #makeTile() {
    return element('div', { class: 'tile' }, element('p', { class: 'label' }), element('p', { class: 'value' }),
      element('p', { class: 'hint' }));
  }

  #updateTile(tile, { label, value, note, state = '', curve }) {
    const [labelNode, valueNode, noteNode] = tile.children;
    setText(labelNode, label);
    setText(valueNode, value);
    setText(noteNode, note);
    tile.className = `tile ${state}`;
    if (curve) this.#drawCurve(tile, curve);
  }

  #drawCurve(tile, values) {
    let svg = tile.querySelector('svg');
    if (!svg) {
      svg = document.createElementNS(SVG, 'svg');
      svg.setAttribute('viewBox', '0 0 100 28');
      svg.setAttribute('preserveAspectRatio', 'none');
      svg.setAttribute('aria-hidden', 'true');
      svg.append(document.createElementNS(SVG, 'polyline'));
      tile.append(svg);
    }
    svg.firstElementChild.setAttribute('points', format.linePoints(values, HISTORY));
  }

  // Nodes

  #makeNode() {
    const row = element('tr');
    const labels = ['', 'Version', 'Up', 'Sockets', 'Users', 'Threads', 'In/s', 'Out/s', 'CPU', 'Memory', 'Redis',
      'Database', 'Stores', ''];
    for (const label of labels) row.append(element('td', { data: { label } }));
    const [name] = row.children;
    name.append(element('div', { class: 'node-name' }, element('strong'), element('span', { class: 'pill' }),
      element('span', { class: 'pill bad' })));
    for (const index of [3, 4, 5, 6, 7, 9, 10, 11]) row.children[index].classList.add('number');
    row.children[8].append(element('span', { class: 'load' }, element('span', { class: 'fill' })), element('span'));
    const drain = element('button', { type: 'button', class: 'small' }, 'Drain');
    drain.addEventListener('click', () => this.#drain(row.dataset.key, row.dataset.node));
    row.children[13].append(drain);
    return row;
  }

  #updateNode(row, node, now) {
    const cells = row.children;
    row.dataset.node = node.node;
    const [name, role, state] = cells[0].firstElementChild.children;
    setText(name, node.node);
    setText(role, node.role);
    const isSilent = now - node.date_ms > format.SILENT_AFTER;
    setText(state, node.draining ? 'draining' : isSilent ? 'silent' : '');
    state.hidden = !state.textContent;
    const hasSockets = node.role !== 'persister';
    const values = [node.version, format.span(now - node.started_ms)];
    values.push(...(hasSockets
      ? [node.sockets + node.line_sockets, node.users, node.threads, node.messages_in_per_second, node.deliveries_per_second].map(format.count)
      : ['–', '–', '–', '–', '–']));
    values.forEach((value, index) => {
      setText(cells[index + 1], value);
      cells[index + 1].classList.toggle('none', value === '–');
    });
    setText(cells[8].lastElementChild, format.percent(node.cpu));
    cells[8].firstElementChild.firstElementChild.style.width = `${Math.min(100, Math.round(node.cpu * 100))}%`;
    setText(cells[9], format.bytes(node.resident_bytes));
    this.#updateLink(cells[10], node.redis);
    this.#updateLink(cells[11], node.database);
    const persister = node.persister;
    setText(cells[12], persister ? this.#stores(persister) : '–');
    cells[12].classList.toggle('none', !persister);
    cells[13].firstElementChild.disabled = node.draining;
    cells[13].firstElementChild.setAttribute('aria-label', `Drain ${node.node}`);
  }

  #stores({ partitions, ...persister }) {
    const share = partitions === 1 ? '1 partition' : `${partitions} partitions`;
    return persister.lag_events ? `${share}, ${format.lag(persister)} behind` : share;
  }

  #updateLink(cell, link) {
    setText(cell, !link ? '–' : link.state === 'up' ? format.latency(link.latency_ms) : 'unavailable');
    cell.classList.toggle('bad-text', link?.state === 'unavailable');
    cell.classList.toggle('none', !link);
    cell.title = link?.reason ?? '';
  }

  async #drain(instance, name) {
    const isMeant = await confirm({
      title: `Drain ${name}?`,
      text: 'It accepts no more sockets, closes those it has over the drain window, and ends, as at SIGTERM. '
        + 'Its supervisor starts it again.',
      action: 'Drain',
    });
    if (!isMeant) return;
    try {
      await api.drain(instance);
    } catch (error) {
      this.#onError(`${name} was not drained: ${error.message}`);
    }
    this.#onChanged();
  }

  // Busiest threads

  #renderThreads(reported) {
    // Omits threads whose rate would be shown as 0.
    const threads = reported.filter((thread) => format.count(thread.events_per_second) !== '0');
    byID('top-empty').hidden = threads.length > 0;
    const most = Math.max(...threads.map((thread) => thread.events_per_second), 0.01);
    reconcile(byID('top'), threads.map((thread) => ({ key: thread.id, thread })),
      () => element('li', {}, element('a', {}, element('span', { class: 'name' }), element('span', { class: 'hint' }),
        element('span', { class: 'rate' }), element('span', { class: 'load' }, element('span', { class: 'fill' })))),
      (row, { thread }) => {
        const link = row.firstElementChild;
        link.href = `#/thread/${encodeURIComponent(thread.id)}`;
        const [name, nodes, rate, load] = link.children;
        setText(name, visible(thread.title ?? thread.id));
        if (thread.kind === 'direct') setText(name, 'direct thread');
        setText(nodes, thread.nodes.length > 3 ? `${thread.nodes.length} nodes` : thread.nodes.join(', '));
        setText(rate, `${format.count(thread.events_per_second)}/s`);
        load.firstElementChild.style.width = `${Math.round((thread.events_per_second / most) * 100)}%`;
      });
  }
}
