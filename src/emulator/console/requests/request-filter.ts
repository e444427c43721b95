import { mask } from '../../../errors/index.js';
import { type Html, html } from '../../http/html.js';
import type { PageExchange } from '../../http/router.js';
import type { AnsweredRequest } from '../../rooms/requests/request-log.js';
import { clientIdInput } from '../layout.js';

/** Name of an API key, or its masked value. */
const keyName = ({ value, name }: { readonly value: string; readonly name?: string | undefined }): string =>
  name ?? mask(value);

/** A filter with a list of options. */
interface Choice {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  matches(request: AnsweredRequest, choice: string): boolean;
}

const same = (values: Iterable<string>): readonly (readonly [string, string])[] =>
  [...new Set(values)].sort().map((value) => [value, value]);

const choicesIn = (requests: readonly AnsweredRequest[]): readonly Choice[] => [
  {
    name: 'method',
    label: 'Method',
    options: [['changes', 'all but GET'], ...same(requests.map(({ method }) => method))],
    matches: ({ method }, choice) => (choice === 'changes' ? method !== 'GET' && method !== 'HEAD' : method === choice),
  },
  {
    name: 'status',
    label: 'Status',
    options: [
      ['2', '2xx, success'],
      ['3', '3xx, redirect'],
      ['4', '4xx, client error'],
      ['5', '5xx, server error'],
      ['refused', '4xx and 5xx'],
    ],
    matches: ({ status }, choice) => (choice === 'refused' ? status >= 400 : String(status).startsWith(choice)),
  },
  {
    name: 'operation',
    label: 'SDK method',
    options: same(requests.flatMap(({ operation }) => operation?.client ?? [])),
    matches: ({ operation }, choice) => operation?.client === choice,
  },
  {
    name: 'key',
    label: 'API key',
    options: [...same(requests.flatMap(({ key }) => (key ? keyName(key) : []))), ['none', 'none']],
    matches: ({ key }, choice) =>
      choice === 'none' ? key === undefined : key !== undefined && keyName(key) === choice,
  },
];

const textOf = ({ query }: PageExchange): string => query.get('q')?.trim() ?? '';

/** Filter requests by the query of the page. */
export function filtered(exchange: PageExchange, requests: readonly AnsweredRequest[]): readonly AnsweredRequest[] {
  const text = textOf(exchange).toLowerCase();
  const conditions = choicesIn([]).flatMap((choice) => {
    const value = exchange.query.get(choice.name);
    return value ? [(request: AnsweredRequest) => choice.matches(request, value)] : [];
  });
  return requests.filter(
    (request) =>
      conditions.every((matches) => matches(request)) &&
      (!text || `${request.method} ${request.path}`.toLowerCase().includes(text)),
  );
}

/** Get the query parameters that filter the page. */
export const filterOf = ({ query }: PageExchange): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['q', ...choicesIn([]).map(({ name }) => name)].flatMap((name) => {
      const value = query.get(name);
      return value ? [[name, value]] : [];
    }),
  );

/** Render the filter. It is a GET form, so that it works without JavaScript and the result has a URL. */
export function filterForm(exchange: PageExchange, path: string, requests: readonly AnsweredRequest[]): Html {
  const fields = choicesIn(requests).map(({ name, label, options }) => {
    const selection = exchange.query.get(name) ?? '';
    // The selected value may not be in the log yet.
    const all =
      !selection || options.some(([value]) => value === selection)
        ? options
        : [...options, [selection, selection] as const];
    return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}"><option value="">any</option>${all.map(
      ([value, text]) =>
        html`<option value="${value}"${value === selection ? html` selected` : undefined}>${text}</option>`,
    )}</select></div>
`;
  });
  return html`<form class="filter" method="get" action="${path}" role="search">
${clientIdInput(exchange)}
<div><label for="q">Path</label><input id="q" name="q" value="${textOf(exchange)}" autocomplete="off" autocapitalize="none" spellcheck="false"></div>
${fields}
<button type="submit">Filter</button>
</form>`;
}
