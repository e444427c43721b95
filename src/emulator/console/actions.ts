import { descriptorOf, type Operation } from '../../service/describe/operation.js';
import { project } from '../../service/describe/project.js';
import { type Answer, redirect } from '../server/answer.js';
import { type ControlSet, type NamedControl, namedControlsOf } from '../server/control.js';
import { carryOut, readPayload } from '../server/controls.js';
import { errorPage } from '../server/error-page.js';
import { type Html, html } from '../server/html.js';
import type { PageExchange, RoomPart } from '../server/router.js';
import { formTokenField } from '../server/visitor.js';
import { dashboard } from '../world/actor.js';
import { Refusal } from '../world/refusal.js';
import type { World } from '../world/world.js';
import { curlOf } from './curl.js';
import { at, consolePage, home } from './frame.js';
import { listing } from './parts.js';

/** What somebody fills in. */
export interface ActionField {
  /** Wire name of the field in the control's body. */
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  /** What may be chosen, and what each is called; anything may be typed where nothing is said. */
  readonly options?: readonly (readonly [value: string, label: string])[];
}

/** Something that can be done where one looks: a control, what it is about, and what is to be filled in. */
export interface Action {
  /** Name of the control, `clock.advance`. */
  readonly control: string;
  /** What the button says. */
  readonly label: string;
  /** What stands in its path, `fault_…`. */
  readonly about?: string;
  /** Fields of its body that go along unseen. */
  readonly values?: Readonly<Record<string, string>>;
  readonly fields?: readonly ActionField[];
  /** Whether what the control answers is shown; where not, the page comes back. */
  readonly isAnswerShown?: boolean;
}

const actionPath = `${home}/controls`;
/** Fields that are not the control's. */
const aboutField = 'about';
const backField = 'back';
const showField = 'show';

/** Forms for controls, each with the request that does the same. */
export class Actions implements RoomPart {
  readonly #controls: ReadonlyMap<string, NamedControl>;

  constructor(controls: ControlSet) {
    this.#controls = new Map(namedControlsOf(controls).map((one) => [one.name, one]));
  }

  routes(router: Parameters<RoomPart['routes']>[0]): void {
    router.page('POST', `${actionPath}/:name`, async (exchange) => {
      const named = this.#controls.get(exchange.params.name ?? '');
      if (!named) return errorPage(404, 'Nothing here', 'There is no control of this name.');
      const back = backOf(exchange);
      try {
        const result = await run(named, exchange);
        return fieldsOf(exchange)[showField] ? answerPage(exchange, named, result, back) : redirect(back, 303);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return errorPage(error.status, 'That did not work', error.message, { url: back, label: 'Back' });
      }
    });
  }

  /** The form for an action on a page, which comes back to it. */
  form(
    exchange: PageExchange,
    { control, label, about = '', values = {}, fields = [], isAnswerShown = false }: Action,
  ): Html {
    const { operation } = this.#controls.get(control)!;
    const { world, request } = exchange;
    const { pathname, search } = new URL(request.url);
    const hidden = [
      [aboutField, about],
      ...Object.entries(values),
      [backField, pathname + search],
      ...(isAnswerShown ? [[showField, 'yes']] : []),
      [formTokenField, exchange.visitor.formToken],
    ];
    const path = operation.path.replace(/:[a-z_]+/, () => encodeURIComponent(about));
    const body = { ...values, ...Object.fromEntries(fields.map(({ name, value = '' }) => [name, value])) };
    return html`<form class="action" method="post" action="${at(exchange, `${actionPath}/${control}`)}">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${fields.map((field) => fieldOf(control, field))}
<button type="submit">${label}</button>
</form>
<details><summary>The same by HTTP</summary>${listing(curlOf({ method: operation.method, url: world.url(path), body: jsonOf(world, operation, body) }))}</details>`;
  }
}

function fieldOf(control: string, { name, label, value = '', options }: ActionField): Html {
  const id = `${control}-${name}`;
  const input = options
    ? html`<select id="${id}" name="${name}">${options.map(([one, text]) => html`<option value="${one}"${one === value ? html` selected` : undefined}>${text}</option>`)}</select>`
    : html`<input id="${id}" name="${name}" value="${value}" autocomplete="off">`;
  return html`<div><label for="${id}">${label}</label>${input}</div>`;
}

/** What a form sends, as the JSON that the control describes; null where it sends nothing. */
function jsonOf({ parser }: World, { io }: Operation, fields: Readonly<Record<string, string>>): string | null {
  const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
  if (!io.body || Object.keys(sent).length === 0) return null;
  return JSON.stringify(parser.fromForm(descriptorOf(io.body), sent));
}

const fieldsOf = ({ body }: PageExchange): Readonly<Record<string, unknown>> => Object(body);

/** Carry out a control with what a form says. @throws {Refusal} Whatever the control refuses. */
async function run({ control, operation }: NamedControl, exchange: PageExchange): Promise<unknown> {
  const {
    [aboutField]: about = '',
    [backField]: _,
    [showField]: __,
    [formTokenField]: ___,
    ...fields
  } = fieldsOf(exchange);
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
  const actingWorld = exchange.world.by(dashboard);
  const payload = readPayload(actingWorld, operation, { value: given, texts: true });
  return carryOut(control, { world: actingWorld }, about === '' ? [] : [String(about)], payload);
}

/** What a control has answered. */
function answerPage(exchange: PageExchange, { operation, name }: NamedControl, result: unknown, back: string): Answer {
  const { world } = exchange;
  const answer = operation.io.returns && project(world.codec, descriptorOf(operation.io.returns), result);
  return consolePage(exchange, {
    title: 'Done',
    place: 'Overview',
    lead: html`This is what <code>${name}</code> answers. <a href="${back}">Back</a>`,
    body: listing(JSON.stringify(answer)),
  });
}

/** Where a form came from: a page of the console, and nowhere else. */
function backOf(exchange: PageExchange): string {
  const back = fieldsOf(exchange)[backField];
  return typeof back === 'string' && (/^\/(?:\?|$)/.test(back) || back.startsWith(`${home}/`)) ? back : '/';
}
