import { answerTo } from '../rooms/fga/access.js';
import type { Decision } from '../rooms/fga/engine.js';
import { grantName, relationshipName, subjectName } from '../rooms/fga/names.js';
import { objectionsToNames, resourceTypes } from '../rooms/fga/resource-types.js';
import { resources } from '../rooms/fga/resources.js';
import { momentOf } from '../rooms/fga/warrant-tokens.js';
import { factsOf, warrants } from '../rooms/fga/warrants.js';
import { type Html, html } from '../server/html.js';
import type { PageExchange, RoomPart } from '../server/router.js';
import { consolePage, home, keepingPlace } from './frame.js';
import { newestOf } from './lists.js';
import { code, json, table } from './parts.js';

const path = `${home}/fga`;

/** Who may do what: the schema, resources, warrants, and a question with the way to its answer. */
export const fgaPage: RoomPart = {
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { world } = exchange;
      const newestWarrants = newestOf(world.of(warrants));
      const newestResources = newestOf(world.of(resources));
      return consolePage(exchange, {
        title: 'Authorization',
        place: 'Authorization',
        follows: ['changes'],
        lead: 'Fine-grained: resource types with their relations, resources, and warrants that give relations to subjects.',
        body: html`<h2>May somebody …?</h2>
${question(exchange)}
<h2>Warrants</h2>
${newestWarrants.hint}
${table(
  'Warrants',
  [{ title: 'Resource' }, { title: 'Relation' }, { title: 'Subject' }],
  newestWarrants.records.map((warrant) => [
    code(`${warrant.resourceType}:${warrant.resourceId}`),
    warrant.relation,
    code(subjectName(warrant.subject)),
  ]),
  'There is no warrant: nobody may do anything.',
)}
<h2>Resources</h2>
${newestResources.hint}
${table(
  'Resources',
  [{ title: 'Type' }, { title: 'Id' }, { title: 'Noted' }],
  newestResources.records.map(({ resourceType, resourceId, meta }) => [
    resourceType,
    code(resourceId),
    meta && code(JSON.stringify(meta)),
  ]),
  'There is no resource.',
)}
<h2>Resource types</h2>
${world
  .of(resourceTypes)
  .values()
  .map((type) => html`<h3>${type.id}</h3>${json(type.relations)}`)}`,
      });
    });
  },
};

/** The form for a question, and the answer with the way to it. */
function question(exchange: PageExchange): Html {
  const { query } = exchange;
  const field = (name: string, label: string, example: string): Html =>
    html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${query.get(name) ?? ''}" placeholder="${example}" autocomplete="off" autocapitalize="none" spellcheck="false"></div>`;
  return html`<form class="filter" method="get" action="${path}">
${keepingPlace(exchange)}
${field('subject', 'Subject', 'user:ada')}
${field('relation', 'Relation', 'viewer')}
${field('resource', 'Resource', 'report:7')}
<button type="submit">Ask</button>
</form>
${answer(exchange)}`;
}

const entityOf = (text: string) => {
  const [, resourceType = '', resourceId = '', relation] = /^([^:#]+):([^#]+)(?:#(.+))?$/.exec(text.trim()) ?? [];
  return { resourceType, resourceId, ...(relation ? { relation } : {}) };
};

function answer({ world, query, request }: PageExchange): Html | undefined {
  const [subjectText, relation, resourceText] = ['subject', 'relation', 'resource'].map((name) =>
    query.get(name)?.trim(),
  );
  if (!subjectText || !relation || !resourceText) return undefined;
  const subject = entityOf(subjectText);
  const resource = entityOf(resourceText);
  if (!subject.resourceType || !resource.resourceType)
    return html`<p role="status">Write subject and resource as a type and an id, such as <code>user:ada</code>; a subject may be everybody with a relation, <code>team:eng#member</code>.</p>`;
  const objections = [
    ...objectionsToNames(
      world,
      { type: resource.resourceType, relation },
      { type: 'The type of the resource', relation: 'The relation' },
    ),
    ...objectionsToNames(
      world,
      { type: subject.resourceType, relation: subject.relation },
      { type: 'The type of the subject', relation: 'The relation of the subject' },
    ),
  ];
  if (objections.length > 0)
    return html`<div role="status">${objections.map(({ field, message }) => html`<p>${field} ${message}.</p>`)}</div>`;
  const asked = { resourceType: resource.resourceType, resourceId: resource.resourceId, relation, subject };
  const { authorized, isImplicit, path: way, decisions } = answerTo(factsOf(world, momentOf(world, request)), asked);
  return html`<div role="status"><p><strong>${authorized ? 'Yes' : 'No'}</strong>: <code>${subjectText}</code> ${authorized ? 'is' : 'is not'} <code>${relation}</code> of <code>${resourceText}</code>${isImplicit ? ', by the rules of the schema' : ''}.</p>
${way.length === 0 ? undefined : html`<p>By ${way.map((one, i) => html`${i === 0 ? '' : ', then '}${code(relationshipName(one))}`)}.</p>`}</div>
<details><summary>Everything that was looked at</summary><ul>${decision(decisions())}</ul></details>`;
}

const decision = (one: Decision): Html =>
  html`<li>${one.holds ? 'yes' : 'no'}: ${code(grantName(one, one.relation))}${one.from.length === 0 ? undefined : html`<ul>${one.from.map(decision)}</ul>`}</li>`;
