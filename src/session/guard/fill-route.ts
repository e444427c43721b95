/**
 * Fill in the parameters of a route, for `routePath` of `withSession`: SvelteKit and Astro tell only the pattern of the page that they
 * show, such as `/account/[id]`. Understands `[id]`, `[[id]]`, `[...rest]`, `[id=matcher]`, groups such as `(app)`, and the escapes of
 * SvelteKit. Parameters are encoded. An application below a base path puts that path in front. Returns undefined without a pattern.
 *
 * @example
 * const routePath = fillRoute(event.route.id, event.params);
 * return withSession(sessions, handler, options)(Object.assign(event.request, { routePath }));
 */
export function fillRoute(
  pattern: string | null | undefined,
  params: Readonly<Record<string, unknown>> = {},
): string | undefined {
  if (pattern === null || pattern === undefined) return undefined;
  const segments = pattern.split('/').filter((segment) => segment !== '' && !/^\([^)]*\)$/.test(segment));
  const filled = segments.map((segment) =>
    // Odd parts are in brackets.
    segment
      .split(/\[\[?([^[\]]*)\]\]?/)
      .map((part, at) => (at % 2 === 0 ? encoded(part) : filledPart(part, params)))
      .join(''),
  );
  return `/${filled.join('/').split('/').filter(Boolean).join('/')}`;
}

/** The value of an escape such as `x+2e`, or of a parameter. Slashes of a rest parameter stay. */
function filledPart(name: string, params: Readonly<Record<string, unknown>>): string {
  const [, codes] = /^[xu]\+([\da-f-]+)$/i.exec(name) ?? [];
  if (codes)
    return encoded(codes.split('-').reduce((text, code) => text + String.fromCodePoint(Number.parseInt(code, 16)), ''));
  const key = name.replace(/^\.{3}/, '').replace(/=.*/s, '');
  return String((Object.hasOwn(params, key) ? params[key] : undefined) ?? '')
    .split('/')
    .map(encoded)
    .join('/');
}

/** Encode a text as browsers encode a segment of a path. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/%(?:40|3A|24|26|2B|2C|3B|3D)/g, decodeURIComponent);
