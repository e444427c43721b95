import { mask } from '../../errors/index.js';
import { type Html, html } from '../server/html.js';
import type { AnsweredRequest } from '../server/request-log.js';
import type { PageExchange } from '../server/router.js';
import { keepingPlace } from './frame.js';

/** What a key is called where it may be seen. */
const keyName = ({ value, name }: { readonly value: string; readonly name?: string | undefined }): string =>
  name ?? mask(value);

/** What is chosen among: a name of the query, what it is called, and what fits. */
interface Choice {
  readonly name: string;
  readonly label: string;
  /** What there is to choose, and what each is called. */
  readonly options: readonly (readonly [value: string, label: string])[];
  fits(request: AnsweredRequest, wanted: string): boolean;
}

const same = (values: Iterable<string>): readonly (readonly [string, string])[] =>
  [...new Set(values)].sort().map((value) => [value, value]);

const choicesIn = (requests: readonly AnsweredRequest[]): readonly Choice[] => [
  {
    name: 'method',
    label: 'Method',
    options: [['changes', 'all but GET'], ...same(requests.map(({ method }) => method))],
    fits: ({ method }, wanted) => (wanted === 'changes' ? method !== 'GET' && method !== 'HEAD' : method === wanted),
  },
  {
    name: 'status',
    label: 'Status',
    options: [
      ['2', '2xx, done'],
      ['3', '3xx, sent on'],
      ['4', '4xx, refused'],
      ['5', '5xx, failed'],
      ['refused', '4xx and 5xx'],
    ],
    fits: ({ status }, wanted) => (wanted === 'refused' ? status >= 400 : String(status).startsWith(wanted)),
  },
  {
    name: 'operation',
    label: 'Called as',
    options: same(requests.flatMap(({ operation }) => operation?.client ?? [])),
    fits: ({ operation }, wanted) => operation?.client === wanted,
  },
  {
    name: 'key',
    label: 'API key',
    options: [...same(requests.flatMap(({ key }) => (key ? keyName(key) : []))), ['none', 'none']],
    fits: ({ key }, wanted) => (wanted === 'none' ? key === undefined : key !== undefined && keyName(key) === wanted),
  },
];

const textOf = ({ query }: PageExchange): string => query.get('q')?.trim() ?? '';

/** Those of the requests that a page is asked for by its query. */
export function filtered(exchange: PageExchange, requests: readonly AnsweredRequest[]): readonly AnsweredRequest[] {
  const text = textOf(exchange).toLowerCase();
  const wanted = choicesIn([]).flatMap((choice) => {
    const value = exchange.query.get(choice.name);
    return value ? [(request: AnsweredRequest) => choice.fits(request, value)] : [];
  });
  return requests.filter(
    (request) =>
      wanted.every((fits) => fits(request)) &&
      (!text || `${request.method} ${request.path}`.toLowerCase().includes(text)),
  );
}

/** The query by which a page is filtered. */
export const filterOf = ({ query }: PageExchange): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['q', ...choicesIn([]).map(({ name }) => name)].flatMap((name) => {
      const value = query.get(name);
      return value ? [[name, value]] : [];
    }),
  );

/** The form that filters, by the address of the page, so that it works without JavaScript and can be kept as a link. */
export function filterForm(exchange: PageExchange, path: string, requests: readonly AnsweredRequest[]): Html {
  const fields = choicesIn(requests).map(({ name, label, options }) => {
    const wanted = exchange.query.get(name) ?? '';
    // What is wanted may not be there yet.
    const all =
      !wanted || options.some(([value]) => value === wanted) ? options : [...options, [wanted, wanted] as const];
    return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}"><option value="">any</option>${all.map(
      ([value, text]) =>
        html`<option value="${value}"${value === wanted ? html` selected` : undefined}>${text}</option>`,
    )}</select></div>
`;
  });
  return html`<form class="filter" method="get" action="${path}" role="search">
${keepingPlace(exchange)}
<div><label for="q">Path</label><input id="q" name="q" value="${textOf(exchange)}" autocomplete="off" autocapitalize="none" spellcheck="false"></div>
${fields}
<button type="submit">Filter</button>
</form>`;
}
