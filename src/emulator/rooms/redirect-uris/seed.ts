import { string } from '../../../service/describe/define.js';
import { batchSection } from '../../seed/section.js';
import { addRedirectUri, redirectUris } from './records.js';

export const redirectUrisSection = batchSection({
  name: 'redirectUris',
  entry: string,
  async plantAll(memory, uris, attempt) {
    for (const [at, uri] of uris.entries()) await attempt([at], () => addRedirectUri(memory, uri));
  },
  export: (memory) =>
    memory
      .of(redirectUris)
      .values()
      .map(({ uri }) => uri),
});
