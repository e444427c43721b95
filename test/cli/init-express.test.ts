import { expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { example, manifest, project } from './project.js';

const { write, read, files, done, unfinished } = project();

const express = manifest({ express: '^5.3.0' }, { type: 'commonjs', main: 'index.js' });

const serverInCommonJs = `const express = require('express');
const { sessionOf } = require('sallyport/express');
const { session } = require('./sallyport.js');

const app = express();
app.use(session);
`;

/** The end of the imports that init prints for a server on Express, and the lines after them. */
const linesToAdd = (ofSession: string): string => `    ${ofSession}

    app.use(session);

    app.get('/account', (req, res) => {
      const { user } = sessionOf(req);
`;

takesLong('sallyport init on Express', () => {
  test('writes an ES module for a package of type module', async () => {
    write(manifest({ express: '^5.3.0' }, { type: 'module', main: 'index.js' }));

    const printed = await done();

    expect(files().filter((name) => /js$/.test(name))).toEqual(['sallyport.js', 'server.js']);
    expect(read('sallyport.js')).toContain(
      "export const session = expressSession(sessions, {\n  protect: ['/'],\n  open: ['/', '/assets', '/favicon.ico', '/health'],\n  routes: true,\n});\n",
    );
    expect(read('server.js')).toBe(example('templates/express/server.js'));
    expect(printed).toContain('  npx sallyport dev -- node server.js\n');
  });

  test.each([
    ['of type commonjs', 'commonjs'],
    ['without a type', undefined],
  ])('writes a CommonJS server for a package %s', async (_what, type) => {
    write(manifest({ express: '^5.3.0' }, { type, main: 'index.js' }));

    const printed = await done();

    expect(files().filter((name) => /js$/.test(name))).toEqual(['sallyport.js', 'server.js']);
    expect(read('sallyport.js')).toMatch(
      /^const \{ expressSession \} = require\('sallyport\/express'\);\nconst \{ createSessions \} = require\('sallyport\/session'\);\n/,
    );
    expect(read('sallyport.js')).toContain("\nconst session = expressSession(sessions, {\n  protect: ['/'],\n");
    expect(read('sallyport.js')).toMatch(/\n\nmodule\.exports = \{ sessions, session \};\n$/);
    expect(read('server.js').startsWith(serverInCommonJs)).toBe(true);
    expect(read('sallyport.js') + read('server.js')).not.toMatch(/^(?:import|export)\b/m);
    expect(printed).toContain('  npx sallyport dev -- node server.js\n');
    expect(printed).toContain('Then open http://localhost:3000/account and sign in');
  });

  test.each(['index.js', 'app.js', 'src/app.js'])(
    'does not change an existing application in %s, and prints the lines to add',
    async (name) => {
      write({ ...express, [name]: "require('express')();\n" });

      const printed = await unfinished('--force');

      expect(read(name)).toBe("require('express')();\n");
      expect(
        files()
          .filter((file) => /js$/.test(file))
          .sort(),
      ).toEqual([name, `${name.replace(/\w+\.js$/, '')}sallyport.js`].sort());
      expect(printed).toContain(`${name} already exists and was not changed.`);
      expect(printed).toContain(linesToAdd("const { session } = require('./sallyport.js');"));
      expect(printed).toContain("    const { sessionOf } = require('sallyport/express');\n");
      expect(printed).toContain(`npx sallyport dev -- node ${name}`);
    },
  );

  test.each([
    ['server.mjs', "import './other.mjs';\n"],
    ['server.js', "import './other.mjs';\n"],
    ['server.mjs', 'start();\n'],
  ])(
    'writes the ES module sallyport.mjs if the existing server is an ES module (file %s, content %j)',
    async (name, text) => {
      write({ ...manifest({ express: '^5.3.0' }), [name]: text });

      const printed = await unfinished();

      expect(read('sallyport.mjs')).toContain('export const session = expressSession(sessions, ');
      expect(printed).toContain(linesToAdd("import { session } from './sallyport.mjs';"));
    },
  );
});
