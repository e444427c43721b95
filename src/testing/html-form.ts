/** A form of a page, as its user submits it. */
export interface FilledForm {
  /** The `action` of the form; empty if it goes to the URL of the page. */
  readonly action: string;
  readonly method: 'GET' | 'POST';
  readonly body: URLSearchParams;
}

/**
 * Fill in the first form of a page, or the first form that has this button. Returns undefined if there is none, and the names of the form's
 * fields if it does not have all `fields`.
 */
export function fillForm(
  html: string,
  fields: Readonly<Record<string, string>>,
  buttonLabel: string | undefined,
): FilledForm | { readonly fieldNames: readonly string[] } | undefined {
  for (const piece of html.split(/<\/form>/i)) {
    const form = /<form\b([^<>]*)>/i.exec(piece);
    if (!form) continue;
    const [tag, start = ''] = form;
    const content = piece.slice(form.index + tag.length);
    const buttons = buttonsOf(content);
    const button = buttonLabel === undefined ? buttons[0] : buttons.find(({ label }) => label.startsWith(buttonLabel));
    if (buttonLabel !== undefined && !button) continue;
    const values = valuesOf(content);
    const names = new Set([...values.names, ...buttons.map(({ name }) => name).filter((name) => name !== '')]);
    if (Object.keys(fields).some((name) => !names.has(name))) return { fieldNames: [...names] };
    if (button?.name) values.body.set(button.name, button.value);
    for (const [name, value] of Object.entries(fields)) values.body.set(name, value);
    const { action = '', method = '' } = attributesOf(start);
    return { action, method: method.toUpperCase() === 'POST' ? 'POST' : 'GET', body: values.body };
  }
  return undefined;
}

/** The buttons of a form that submit it. */
function buttonsOf(content: string) {
  const tags = content.split(/<\/button>/i).flatMap((piece) =>
    [...piece.matchAll(/<(button|input)\b([^<>]*)>/gi)].map(({ 0: tag, 1: element = '', 2: start = '', index }) => ({
      attributes: attributesOf(start),
      label: /button/i.test(element) ? textOf(piece.slice(index + tag.length)) : undefined,
    })),
  );
  return tags.flatMap(({ attributes, label }) => {
    const { type = label === undefined ? '' : 'submit', name = '', value = '' } = attributes;
    return type === 'submit' ? [{ name, value, label: label ?? value }] : [];
  });
}

/** The names of the fields of a form, and the values that it sends if its user changes nothing. */
function valuesOf(content: string) {
  const names: string[] = [];
  const body = new URLSearchParams();
  const controls = content.split(/<\/(?:textarea|select)>/i).flatMap((piece) =>
    [...piece.matchAll(/<(input|textarea|select)\b([^<>]*)>/gi)].map(
      ({ 0: tag, 1: element = '', 2: start = '', index }) => ({
        element: element.toLowerCase(),
        attributes: attributesOf(start),
        inside: piece.slice(index + tag.length),
      }),
    ),
  );
  for (const { element, attributes, inside } of controls) {
    const { name, type = '', value, checked } = attributes;
    if (!name || /^(?:submit|button|reset|image|file)$/.test(type)) continue;
    names.push(name);
    if (/^(?:checkbox|radio)$/.test(type)) {
      if (checked !== undefined) body.append(name, value ?? 'on');
    } else if (element === 'select') {
      const choices = [...inside.matchAll(/<option\b([^<>]*)>([^<]*)/gi)].map(([, start = '', label = '']) => ({
        value: textOf(label),
        ...attributesOf(start),
      }));
      const chosen = choices.find((choice) => 'selected' in choice) ?? choices[0];
      if (chosen) body.append(name, chosen.value);
    } else body.append(name, element === 'textarea' ? decoded(inside) : (value ?? ''));
  }
  return { names, body };
}

function attributesOf(tag: string): { readonly [name: string]: string | undefined } {
  const found = tag.matchAll(/([^\s=/"'>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g);
  return Object.fromEntries(
    [...found].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      decoded(double ?? single ?? bare ?? ''),
    ]),
  );
}

const textOf = (html: string): string =>
  decoded(html.replace(/<[^<>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

const decoded = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (entity, decimal?: string, hex?: string, name = '') => {
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return Number.isNaN(code) ? (entities[name] ?? entity) : String.fromCodePoint(code);
  });
