import { Answer, redirect } from '../../http/answer.js';
import { errorPage } from '../../http/error-page.js';
import { html, link, page } from '../../http/html.js';
import type { PageExchange, Router } from '../../http/router.js';
import { organizations } from '../../rooms/organizations/records.js';
import { mayEnter, type PortalLinkRecord, portalLinks, portalPath } from '../../rooms/portal/records.js';
import { EmulatorRefusal } from '../../store/refusal.js';
import { administrator } from '../../world/actor.js';
import type { Memory } from '../../world/memory.js';
import { applicationOf } from '../application.js';
import { type FormError, FormFields, fieldText, form } from '../forms.js';
import { formTargetsOf } from '../layout.js';
import { certificatesSection, connectionsSection } from './portal-connections.js';
import { directoriesSection } from './portal-directories.js';
import { domainsSection } from './portal-domains.js';
import type { PortalSection, PortalVisit } from './portal-section.js';
import { auditLogsSection, keySection, logStreamsSection, unknownSection } from './portal-unplayed.js';

const sections: Readonly<Record<string, PortalSection>> = {
  sso: connectionsSection,
  dsync: directoriesSection,
  domain_verification: domainsSection,
  certificate_renewal: certificatesSection,
  audit_logs: auditLogsSection,
  log_streams: logStreamsSection,
  bring_your_own_key: keySection,
};

const sectionOf = ({ intent }: PortalLinkRecord): PortalSection =>
  (Object.hasOwn(sections, intent) ? sections[intent] : undefined) ?? unknownSection(intent);

/** Serve the page of a portal link. An administrator uses it to set up the feature that the link's intent names. */
export function portalPage(router: Router): void {
  router.page('GET', portalPath, (exchange) => {
    const visit = portalVisitOf(exchange, exchange.query.get('token'));
    return visit instanceof Answer ? visit : render(visit, { isDone: exchange.query.has('done') });
  });

  router.page('POST', portalPath, (exchange) => {
    const visit = portalVisitOf(exchange, fieldText(exchange.body, 'token'));
    return visit instanceof Answer ? visit : handle(visit);
  });
}

function portalVisitOf({ memory: pages, body, visitor }: PageExchange, token: string | null): PortalVisit | Answer {
  const memory = pages.as(administrator);
  const portalLink = memory.of(portalLinks).by('token', token ?? '');
  if (!portalLink) return errorPage(404, 'No such portal link', 'Check that the link is complete.');
  if (!mayEnter(memory, portalLink, visitor))
    return errorPage(
      410,
      'This portal link has expired',
      'A portal link can be opened for five minutes, and the visit lasts up to an hour. Generate a new link.',
      wayBack(memory, portalLink),
    );
  return {
    memory,
    link: portalLink,
    organization: memory.of(organizations).get(portalLink.organizationId),
    body,
    form: (fields) => form(visitor, addressOf(portalLink), { token: portalLink.token }, fields),
  };
}

/** Build the path and query of the page. */
const addressOf = ({ token }: PortalLinkRecord, more: Readonly<Record<string, string>> = {}): string =>
  `${portalPath}?${new URLSearchParams({ token, ...more })}`;

/** Return the URL if it is http or https. A browser must not be redirected to any other scheme. */
const webAddress = (url: string | null): string | undefined => (url && /^https?:\/\//i.test(url) ? url : undefined);

function wayBack(memory: Memory, { returnUrl }: PortalLinkRecord) {
  const url = webAddress(returnUrl);
  return url === undefined ? undefined : { url, label: `Back to ${applicationOf(memory, { redirectUri: url })}` };
}

interface RenderOptions {
  readonly errors?: readonly FormError[];
  readonly isDone?: boolean;
}

function render(visit: PortalVisit, { errors = [], isDone = false }: RenderOptions = {}): Answer {
  const section = sectionOf(visit.link);
  const fields = new FormFields(errors);
  const successUrl = webAddress(visit.link.successUrl);
  const back = wayBack(visit.memory, visit.link);
  const isSetUp = isDone || section.isSetUp?.(visit);
  return page(
    errors.length > 0 ? 422 : 200,
    section.title,
    html`${fields.summary}
${isDone ? html`<div class="note" role="status"><p>Setup is complete.</p></div>` : undefined}
${section.render(visit, fields)}
${successUrl && section.isSetUp === undefined ? html`<p class="aside">${link(successUrl, 'Continue as if it were set up')}</p>` : undefined}
${successUrl && isSetUp ? html`<p class="aside">${link(successUrl, 'Finish')}</p>` : undefined}
${back && html`<p class="aside">${link(back.url, back.label)}</p>`}`,
    {
      lead: html`Admin portal of <strong>${visit.organization.name}</strong>`,
      wrong: errors.length > 0,
      formTargets: successUrl === undefined ? [] : formTargetsOf(successUrl),
    },
  );
}

/** Run the action of the pressed button. Once setup is complete, redirect to the link's success URL. */
function handle(visit: PortalVisit): Answer {
  const { link: portalLink, body } = visit;
  const [name, action] =
    Object.entries(sectionOf(portalLink).actions).find(([name]) => fieldText(body, name) !== '') ?? [];
  if (name === undefined || !action) return render(visit);
  try {
    const result = action(visit, fieldText(body, name));
    const successUrl = result === 'done' ? webAddress(portalLink.successUrl) : undefined;
    return redirect(successUrl ?? addressOf(portalLink, result === 'done' ? { done: '' } : {}), 303);
  } catch (error) {
    if (!(error instanceof EmulatorRefusal)) throw error;
    return render(visit, { errors: [formErrorOf(error)] });
  }
}

/** Convert an API error to an error of the form. If it is about the domain, it belongs to the domain field. */
function formErrorOf({ code, message, fields }: EmulatorRefusal): FormError {
  if (code === 'domain_already_exists') return { field: 'domain', message };
  const [problem] = (fields.errors ?? []) as readonly { readonly field: string; readonly message: string }[];
  return problem?.field === 'domain'
    ? { field: 'domain', message: `The domain ${problem.message}.` }
    : { field: null, message };
}
