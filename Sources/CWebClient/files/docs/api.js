// An OpenAPI description as a tree of elements; see docsMarkdown.js for its form.

import { inline } from './markdown.js';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** The tree of a description: introduction, operations by tag, types. */
export function fromOpenAPI(api) {
  const resolve = (part) => (part?.$ref ? atPointer(api, part.$ref) : part);
  const operations = Object.entries(api.paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ path, method, item, ...item[method] })));
  return [
    ['h1', { id: 'introduction' }, api.info.title, ' REST API'],
    ['p', {}, ...inline(api.info.summary)],
    ['p', {}, ...inline(api.info.description)],
    ['h2', { id: 'credentials' }, 'Credentials'],
    ...credentials(api.components.securitySchemes),
    ...api.tags.flatMap((tag) => [
      ['h2', { id: `tag-${tag.name}` }, capitalised(tag.name)],
      ['p', {}, ...inline(tag.description)],
      ...operations.filter((each) => each.tags.includes(tag.name)).map((each) => operation(each, resolve)),
    ]),
    ['h2', { id: 'types' }, 'Types'],
    ...Object.entries(api.components.schemas).flatMap(([name, schema]) => type(name, schema, resolve)),
  ];
}

/** A type as one phrase: strings, and links to named types. */
export function phrase(schema) {
  if (!schema) return ['anything'];
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    return [['a', { href: `#type-${name}` }, name]];
  }
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants && !schema.type) return variants.flatMap((each, index) => [...(index ? [' or '] : []), ...phrase(each)]);
  if ('const' in schema) return [['code', {}, JSON.stringify(schema.const)]];
  if (schema.enum) return schema.enum.flatMap((each, index) => [...(index ? [', '] : []), ['code', {}, JSON.stringify(each)]]);
  const names = [schema.type ?? 'anything'].flat();
  const words = names.includes('array') ? ['array of ', ...phrase(schema.items)] : [names.join(' or ')];
  const bounds = range(schema);
  if (bounds) words.push(`, ${bounds}`);
  if ('default' in schema) words.push(`, default ${JSON.stringify(schema.default)}`);
  return words;
}

/** The fields of an object and of nested objects: name, schema, whether it is always present. */
export function fields(schema, prefix = '') {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const inner = field.type === 'array' ? field.items : field;
    const path = prefix + name;
    const here = { name: path, schema: field, isRequired: (schema.required ?? []).includes(name) };
    return [here, ...fields(inner, field.type === 'array' ? `${path}[].` : `${path}.`)];
  });
}

function operation(each, resolve) {
  const parameters = [...(each.item.parameters ?? []), ...(each.parameters ?? [])].map(resolve);
  const body = resolve(each.requestBody);
  return ['section', { class: 'operation', id: each.operationId },
    ['header', {},
      ['h3', {}, ['span', { class: `method ${each.method}` }, each.method.toUpperCase()], ' ', each.path],
      ['p', { class: 'summary' }, ...inline(each.summary)]],
    ['div', { class: 'body' },
      ...(each.description ? [['p', {}, ...inline(each.description)]] : []),
      ...(each.security?.length === 0 ? [['p', {}, 'No credentials needed.']] : []),
      ...(parameters.length ? [['h4', {}, 'Parameters'], table(['name', 'in', 'type', 'description'],
        parameters.map((one) => [[['code', {}, one.name]], [one.in + (one.required ? ', required' : '')], phrase(one.schema), inline(one.description ?? '')]))] : []),
      ...(body ? [['h4', {}, 'Body: ', Object.keys(body.content).join(' or ')], ...content(body)] : []),
      ['h4', {}, 'Responses'],
      table(['status', 'description', 'body'], Object.entries(each.responses).map(([status, answer]) => {
        const { description, content: media } = resolve(answer);
        const schema = Object.values(media ?? {})[0]?.schema;
        return [[['code', {}, status]], inline(description), schema ? shape(schema) : []];
      }))]];
}

/** The content of a body. Forms and JSON have the same content, so one of them is shown. */
function content(body) {
  const schema = Object.values(body.content)[0].schema;
  const rows = fields(schema);
  if (rows.length) return [fieldTable(rows)];
  return [['p', {}, ...phrase(schema), ...(schema?.description ? ['. ', ...inline(schema.description)] : [])]];
}

/** A body in a table cell: its fields by name, or its type. */
function shape(schema) {
  const top = fields(schema).filter((field) => !/[.[]/.test(field.name));
  if (!top.length) return phrase(schema);
  return top.flatMap((field, index) => [...(index ? [', '] : []), ['code', {}, field.name], ': ', ...phrase(field.schema)]);
}

function type(name, schema, resolve) {
  const rows = fields(resolve(schema));
  return [
    ['h3', { id: `type-${name}` }, name],
    ...(schema.description ? [['p', {}, ...inline(schema.description)]] : []),
    ...(rows.length ? [fieldTable(rows)] : [['p', {}, ...phrase(schema)]]),
  ];
}

function fieldTable(rows) {
  return table(['field', 'type', 'description'], rows.map((row) => [
    [['code', {}, row.name], ...(row.isRequired ? [] : [' (optional)'])], phrase(row.schema), inline(row.schema.description ?? ''),
  ]));
}

function credentials(schemes) {
  return [table(['scheme', 'sent as', 'description'], Object.entries(schemes).map(([name, scheme]) => [
    [['code', {}, name]],
    [scheme.type === 'http' ? `Authorization: ${capitalised(scheme.scheme)} …` : `${scheme.in} ${scheme.name}`],
    inline(scheme.description ?? ''),
  ]))];
}

function table(head, rows) {
  return ['div', { class: 'scroll' }, ['table', {},
    ['thead', {}, ['tr', {}, ...head.map((cell) => ['th', { scope: 'col' }, cell])]],
    ['tbody', {}, ...rows.map((row) => ['tr', {}, ...row.map((cell) => ['td', {}, ...cell])])],
  ]];
}

function range({ minimum, maximum, maxItems }) {
  if (maxItems !== undefined) return `at most ${maxItems}`;
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${minimum} or more`;
  return maximum === undefined ? '' : `at most ${maximum}`;
}

function atPointer(api, pointer) {
  return pointer.split('/').slice(1).reduce((part, name) => part?.[name], api);
}

function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
