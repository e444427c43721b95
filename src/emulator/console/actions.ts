import { descriptorOf, type Operation } from '../../service/describe/operation.js';
import { project } from '../../service/describe/project.js';
import { type Answer, redirect } from '../http/answer.js';
import { type ControlSet, type NamedControl, namedControlsOf } from '../http/control.js';
import { errorPage } from '../http/error-page.js';
import { type Html, html } from '../http/html.js';
import type { PageExchange, RoomPart } from '../http/router.js';
import { readPayload, runControl } from '../http/serve-controls.js';
import { formTokenField } from '../http/visitor.js';
import { EmulatorRefusal } from '../store/refusal.js';
import { dashboard } from '../world/actor.js';
import type { Memory } from '../world/memory.js';
import { at, consolePage, home } from './layout.js';
import { curlOf } from './requests/curl.js';
import { listing } from './widgets.js';

/** A form field of an action. */
interface ActionField {
  /** Wire name in the body of the control. */
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  /** Choices of a select. Without them, the field is a text input. */
  readonly options?: readonly (readonly [value: string, label: string])[];
}

/** A control that a page offers as a form. */
export interface Action {
  /** Name of the control, such as `clock.advance`. */
  readonly control: string;
  /** Label of the button. */
  readonly label: string;
  /** Value of the path parameter, such as `fault_…`. */
  readonly about?: string;
  /** Hidden fields of the body. */
  readonly values?: Readonly<Record<string, string>>;
  readonly fields?: readonly ActionField[];
  /** Whether the response of the control is shown, instead of returning to the page. */
  readonly showsResponse?: boolean;
}

const actionPath = `${home}/controls`;
/** Form fields that are not part of the control's body. */
const aboutField = 'about';
const backField = 'back';
const showField = 'show';

/** Renders and handles forms for controls. Each form shows the equivalent curl command. */
export class Actions implements RoomPart {
  readonly #controls: ReadonlyMap<string, NamedControl>;

  constructor(controls: ControlSet) {
    this.#controls = new Map(namedControlsOf(controls).map((one) => [one.name, one]));
  }

  routes(router: Parameters<RoomPart['routes']>[0]): void {
    router.page('POST', `${actionPath}/:name`, async (exchange) => {
      const named = this.#controls.get(exchange.params.name ?? '');
      if (!named) return errorPage(404, 'Not found', 'No control has this name.');
      const back = backOf(exchange);
      try {
        const result = await run(named, exchange);
        return fieldsOf(exchange)[showField] ? responsePage(exchange, named, result, back) : redirect(back, 303);
      } catch (error) {
        if (!(error instanceof EmulatorRefusal)) throw error;
        return errorPage(error.status, 'Action failed', error.message, { url: back, label: 'Back' });
      }
    });
  }

  /** Render the form for an action. After submitting it, the user returns to the same page. */
  form(
    exchange: PageExchange,
    { control, label, about = '', values = {}, fields = [], showsResponse = false }: Action,
  ): Html {
    const { operation } = this.#controls.get(control)!;
    const { memory, request } = exchange;
    const { pathname, search } = new URL(request.url);
    const hidden = [
      [aboutField, about],
      ...Object.entries(values),
      [backField, pathname + search],
      ...(showsResponse ? [[showField, 'yes']] : []),
      [formTokenField, exchange.visitor.formToken],
    ];
    const path = operation.path.replace(/:[a-z_]+/, () => encodeURIComponent(about));
    const body = { ...values, ...Object.fromEntries(fields.map(({ name, value = '' }) => [name, value])) };
    return html`<form id="${about ? `${control}-${about}` : control}" class="action" method="post" action="${at(exchange, `${actionPath}/${control}`)}">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${fields.map((field) => fieldOf(control, field))}
<button type="submit">${label}</button>
</form>
<details><summary>curl command</summary>${listing(curlOf({ method: operation.method, url: memory.url(path), body: jsonOf(memory, operation, body) }))}</details>`;
  }
}

function fieldOf(control: string, { name, label, value = '', options }: ActionField): Html {
  const id = `${control}-${name}`;
  const input = options
    ? html`<select id="${id}" name="${name}">${options.map(([one, text]) => html`<option value="${one}"${one === value ? html` selected` : undefined}>${text}</option>`)}</select>`
    : html`<input id="${id}" name="${name}" value="${value}" autocomplete="off">`;
  return html`<div><label for="${id}">${label}</label>${input}</div>`;
}

/** Convert form fields to the JSON body of a control. Null if all fields are empty. */
function jsonOf({ parser }: Memory, { io }: Operation, fields: Readonly<Record<string, string>>): string | null {
  const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
  if (!io.body || Object.keys(sent).length === 0) return null;
  return JSON.stringify(parser.fromForm(descriptorOf(io.body), sent));
}

const fieldsOf = ({ body }: PageExchange): Readonly<Record<string, unknown>> => Object(body);

/** Run a control with the fields of a form. @throws {EmulatorRefusal} The control refused the input. */
async function run({ control, operation }: NamedControl, exchange: PageExchange): Promise<unknown> {
  const {
    [aboutField]: about = '',
    [backField]: _,
    [showField]: __,
    [formTokenField]: ___,
    ...fields
  } = fieldsOf(exchange);
  const filled = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
  const actingMemory = exchange.memory.as(dashboard);
  const payload = readPayload(actingMemory, operation, { value: filled, texts: true });
  return runControl(
    control,
    { memory: actingMemory, world: exchange.world },
    about === '' ? [] : [String(about)],
    payload,
  );
}

/** Render the response of a control. */
function responsePage(
  exchange: PageExchange,
  { operation, name }: NamedControl,
  result: unknown,
  back: string,
): Answer {
  const { memory } = exchange;
  const answer = operation.io.returns && project(memory.codec, descriptorOf(operation.io.returns), result);
  return consolePage(exchange, {
    title: 'Done',
    place: 'Overview',
    lead: html`Response of <code>${name}</code>. <a href="${back}">Back</a>`,
    body: listing(JSON.stringify(answer)),
  });
}

/** Get the page to return to. Only pages of the console are allowed. */
function backOf(exchange: PageExchange): string {
  const back = fieldsOf(exchange)[backField];
  return typeof back === 'string' && (/^\/(?:\?|$)/.test(back) || back.startsWith(`${home}/`)) ? back : '/';
}
