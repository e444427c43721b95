import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { Plugin } from 'vitest/config';
import type { Place } from './draw.js';

/** Insert all mutants into the sources. `setup.ts` decides which of them is active. */
export function withMutants(places: readonly (Place | undefined)[]): Plugin {
  const version = createHash('sha256').update(JSON.stringify(places)).digest('hex');
  return {
    // Vitest caches transformed modules by their text and the names of the plugins.
    name: `mutants ${version}`,
    enforce: 'pre',
    transform(code, id) {
      const file = relative(process.cwd(), id.split('?')[0] ?? id);
      const inserts = places.flatMap((place, index) => {
        if (place?.file !== file) return [];
        const [before, after] =
          place.kind === 'condition' ? [`mutate(${index}, (`, '))'] : [`{ if (!mutate(${index}, false)) `, ' }'];
        return [
          { at: place.start, text: before, order: -place.end },
          { at: place.end, text: after, order: -place.start },
        ];
      });
      if (inserts.length === 0) return undefined;
      let result = '';
      let done = 0;
      for (const { at, text } of inserts.sort((a, b) => a.at - b.at || a.order - b.order)) {
        result += code.slice(done, at) + text;
        done = at;
      }
      return { code: result + code.slice(done), map: null };
    },
  };
}
