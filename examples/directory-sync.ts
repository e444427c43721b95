// Directory sync: list the users and groups of your customers' directories.
//
//   npx tsx examples/directory-sync.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ dialect: 'workos', seed: 'examples/company.yaml' });
const { directorySync } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

const [directory] = await directorySync.listDirectories({ search: 'Northwind' }).toArray({ max: 1 });
if (!directory) throw new Error('The seed has no directory.');
console.log(directory.name, directory.type, directory.state);

for await (const user of directorySync.listUsers({ directory: directory.id })) {
  console.log('-', user.email, user.jobTitle, user.groups?.map(({ name }) => name).join(', '));
}

for await (const group of directorySync.listGroups({ directory: directory.id })) {
  const members = await directorySync.listUsers({ group: group.id }).toArray({ max: 100 });
  console.log(group.name, 'has', members.length, 'members');
}

// Raw attributes come from the provider, so their keys are not renamed.
const farah = await directorySync.getUser('directory_user_farah');
console.log(farah.rawAttributes);

await emulator.close();
