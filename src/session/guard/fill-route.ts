/**
 * Fill in the parameters of a route, for `routePath` of `withSession`: SvelteKit and Astro tell only the pattern of the page that they
 * show, such as `/account/[id]`. Understands `[id]`, `[[id]]`, `[...rest]`, `[id=matcher]`, groups such as `(app)`, and the escapes of
 * SvelteKit. Parameters are encoded. Returns undefined without a pattern.
 *
 * @example
 * const routePath = fillRoute(event.route.id, event.params);
 * return withSession(sessions, handler, options)(Object.assign(event.request, { routePath }));
 */
export function fillRoute(
  pattern: string | null | undefined,
  params: Readonly<Record<string, string | undefined>> = {},
): string | undefined {
  if (pattern === null || pattern === undefined) return undefined;
  const filled = pattern
    .split('/')
    .filter((segment) => !/^\([^)]*\)$/.test(segment))
    .join('/')
    .replace(/\[\[?([^[\]]*)\]\]?/g, (_, name: string) => {
      const [, kind = '', codes = ''] = /^([xu])\+([\da-f-]+)$/i.exec(name) ?? [];
      if (kind)
        return codes.split('-').reduce((text, code) => text + String.fromCodePoint(Number.parseInt(code, 16)), '');
      return encoded(params[name.replace(/^\.{3}/, '').replace(/=.*/s, '')] ?? '');
    });
  return filled.replace(/(?<!\/)\/+/g, '/') || '/';
}

/** Encode a parameter as browsers encode a path. Slashes of a rest parameter stay. */
const encoded = (value: string): string =>
  value
    .split('/')
    .map((segment) => encodeURIComponent(segment).replace(/%(?:40|3A|24|26|2B|2C|3B|3D)/g, decodeURIComponent))
    .join('/');
