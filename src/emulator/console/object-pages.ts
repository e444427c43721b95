import { html } from '../http/html.js';
import type { PageExchange, RoomPart } from '../http/router.js';
import type { CollectionItem } from '../store/selection.js';
import type { Facts } from '../world/facts.js';
import type { Memory } from '../world/memory.js';
import type { Actions } from './actions.js';
import { cellOf, describedFact, findIn } from './cells.js';
import { consolePage, notFoundPage, type PlaceName, pathOf } from './layout.js';
import { liveKindsOf, type PageSection, wholeList } from './lists.js';
import { type Cell, facts as factList, json } from './widgets.js';

/** The list page of one kind of objects, and the pages of the objects. */
interface ObjectPages<T extends CollectionItem> {
  readonly place: PlaceName;
  readonly facts: Facts<T>;
  readonly lead?: string;
  /** Heading of the list, if it is not the title of the page. */
  readonly heading?: string;
  /** Sections below the list. */
  readonly below?: readonly PageSection<unknown>[];
  /** Sections on the page of an object. */
  readonly sections?: readonly PageSection<T>[];
  /** Facts that link to other pages. */
  readonly links?: (exchange: PageExchange, record: T) => readonly (readonly [label: string, value: Cell])[];
  /** Other origins that forms on the page of an object may submit to. */
  readonly formTargets?: (memory: Memory) => readonly string[];
}

/** Create the pages of one kind of objects. */
export const objectPages = <T extends CollectionItem>(actions: Actions, pages: ObjectPages<T>): RoomPart => {
  const { place, facts, lead, heading, below = [], sections = [], links, formTargets } = pages;
  const path = pathOf(place);
  const list = wholeList(heading ?? place, facts, path);
  return {
    routes(router) {
      router.page('GET', path, (exchange) =>
        consolePage(exchange, {
          title: place,
          place,
          lead,
          follows: liveKindsOf(exchange, 'changes'),
          body: html`${heading && html`<h2>${heading}</h2>`}
${[list, ...below].map((section) => html`${section(exchange, actions, undefined)}\n`)}`,
        }),
      );
      if (!facts.facts) return;
      const shown = facts.facts.map((fact) => describedFact(facts, fact));
      const maps = shown.filter(({ as }) => as?.kind === 'map');
      const lines = shown.filter((fact) => !maps.includes(fact));
      router.page('GET', `${path}/:id`, (exchange) => {
        const { memory, params } = exchange;
        const record = findIn(facts, memory, params.id ?? '');
        if (!record) return notFoundPage(exchange, place, facts.noun!);
        return consolePage(exchange, {
          title: String(record[facts.title!]),
          place,
          follows: ['changes'],
          formTargets: formTargets?.(memory),
          body: html`${factList([
            ...lines.map((fact) => [fact.label, cellOf(exchange, facts, fact, record)] as const),
            ...(links?.(exchange, record) ?? []),
          ])}
${sections.map((section) => html`${section(exchange, actions, record)}\n`)}
${maps.map(({ label, of }) => html`<h2>${label}</h2>\n${json(of(record, memory))}`)}`,
        });
      });
    },
  };
};
