import { type Html, html } from '../http/html.js';
import type { PageExchange, RoomPart } from '../http/router.js';
import { answerTo } from '../rooms/fga/access.js';
import type { Decision } from '../rooms/fga/engine.js';
import { grantName, relationshipName, subjectName } from '../rooms/fga/names.js';
import { resourceTypes, unknownNameProblems } from '../rooms/fga/resource-types.js';
import { resources } from '../rooms/fga/resources.js';
import { warrantReaderOf, warrants } from '../rooms/fga/warrants.js';
import { clientIdInput, consolePage, home } from './layout.js';
import { newestOf } from './lists.js';
import { code, json, table } from './widgets.js';

const path = `${home}/fga`;

/** Page for fine-grained authorization: an access check, warrants, resources and resource types. */
export const fgaPage: RoomPart = {
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { memory } = exchange;
      const newestWarrants = newestOf(memory.of(warrants));
      const newestResources = newestOf(memory.of(resources));
      return consolePage(exchange, {
        title: 'Authorization',
        place: 'Authorization',
        follows: ['changes'],
        lead: 'Fine-grained authorization: warrants grant subjects a relation to a resource.',
        body: html`<h2>Check access</h2>
${checkForm(exchange)}
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
  'No warrants yet.',
)}
<h2>Resources</h2>
${newestResources.hint}
${table(
  'Resources',
  [{ title: 'Type' }, { title: 'ID' }, { title: 'Metadata' }],
  newestResources.records.map(({ resourceType, resourceId, meta }) => [
    resourceType,
    code(resourceId),
    meta && code(JSON.stringify(meta)),
  ]),
  'No resources yet.',
)}
<h2>Resource types</h2>
${memory
  .of(resourceTypes)
  .values()
  .map((type) => html`<h3>${type.id}</h3>${json(type.relations)}`)}`,
      });
    });
  },
};

/** Render the form for an access check, with the result and its explanation. */
function checkForm(exchange: PageExchange): Html {
  const { query } = exchange;
  const field = (name: string, label: string, example: string): Html =>
    html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${query.get(name) ?? ''}" placeholder="${example}" autocomplete="off" autocapitalize="none" spellcheck="false"></div>`;
  return html`<form class="filter" method="get" action="${path}">
${clientIdInput(exchange)}
${field('subject', 'Subject', 'user:ada')}
${field('relation', 'Relation', 'viewer')}
${field('resource', 'Resource', 'report:7')}
<button type="submit">Check</button>
</form>
${checkResult(exchange)}`;
}

const entityOf = (text: string) => {
  const [, resourceType = '', resourceId = '', relation] = /^([^:#]+):([^#]+)(?:#(.+))?$/.exec(text.trim()) ?? [];
  return { resourceType, resourceId, ...(relation ? { relation } : {}) };
};

function checkResult({ memory, query }: PageExchange): Html | undefined {
  const [subjectText, relation, resourceText] = ['subject', 'relation', 'resource'].map((name) =>
    query.get(name)?.trim(),
  );
  if (!subjectText || !relation || !resourceText) return undefined;
  const subject = entityOf(subjectText);
  const resource = entityOf(resourceText);
  if (!subject.resourceType || !resource.resourceType)
    return html`<p role="status">Write the subject and the resource as type and id, such as <code>user:ada</code>. A subject can also be all users with a relation, such as <code>team:eng#member</code>.</p>`;
  const objections = [
    ...unknownNameProblems(
      memory,
      { type: resource.resourceType, relation },
      { type: 'The type of the resource', relation: 'The relation' },
    ),
    ...unknownNameProblems(
      memory,
      { type: subject.resourceType, relation: subject.relation },
      { type: 'The type of the subject', relation: 'The relation of the subject' },
    ),
  ];
  if (objections.length > 0)
    return html`<div role="status">${objections.map(({ field, message }) => html`<p>${field} ${message}.</p>`)}</div>`;
  const check = { resourceType: resource.resourceType, resourceId: resource.resourceId, relation, subject };
  const { authorized, isImplicit, path: grants, decisions } = answerTo(warrantReaderOf(memory), check);
  return html`<div role="status"><p><strong>${authorized ? 'Yes' : 'No'}</strong>: <code>${subjectText}</code> ${authorized ? 'is' : 'is not'} <code>${relation}</code> of <code>${resourceText}</code>${isImplicit ? ', through the rules of the schema' : ''}.</p>
${grants.length === 0 ? undefined : html`<p>Granted by ${grants.map((one, i) => html`${i === 0 ? '' : ', then '}${code(relationshipName(one))}`)}.</p>`}</div>
<details><summary>All steps of the check</summary><ul>${decision(decisions())}</ul></details>`;
}

const decision = (one: Decision): Html =>
  html`<li>${one.isSatisfied ? 'yes' : 'no'}: ${code(grantName(one, one.relation))}${one.from.length === 0 ? undefined : html`<ul>${one.from.map(decision)}</ul>`}</li>`;
