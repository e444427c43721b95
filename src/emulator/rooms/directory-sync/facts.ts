import { integer } from '../../../service/describe/define.js';
import { directory, directoryGroup, directoryUser } from '../../../service/directory-sync.js';
import type { Facts } from '../../world/facts.js';
import { type DirectoryRecord, directories } from './directories.js';
import { type DirectoryGroupRecord, directoryGroups } from './groups.js';
import { type DirectoryUserRecord, directoryUsers } from './users.js';

export const directoryFacts: Facts<DirectoryRecord> = {
  noun: 'directory',
  model: directory,
  all: (memory) => memory.of(directories),
  title: 'name',
  columns: [
    'name',
    'organizationId',
    'type',
    'state',
    { label: 'Users', of: ({ id }, memory) => memory.of(directoryUsers).where('directoryId', id).size, as: integer },
    { label: 'Groups', of: ({ id }, memory) => memory.of(directoryGroups).where('directoryId', id).size, as: integer },
  ],
  empty: 'No directories yet. Add them in a seed or with the control createDirectory.',
  facts: ['id', 'type', 'state'],
};

export const directoryUserFacts: Facts<DirectoryUserRecord> = {
  model: directoryUser,
  all: (memory) => memory.of(directoryUsers),
  columns: [
    { label: 'Name', of: ({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' ') },
    ['addresses', 'Email addresses'],
    'state',
    {
      label: 'Groups',
      of: ({ groupIds }, memory) => groupIds.map((id) => memory.of(directoryGroups).find(id)?.name ?? id),
    },
    'id',
  ],
  empty: 'No users yet.',
};

export const directoryGroupFacts: Facts<DirectoryGroupRecord> = {
  model: directoryGroup,
  all: (memory) => memory.of(directoryGroups),
  columns: [
    'name',
    { label: 'Users', of: ({ id }, memory) => memory.of(directoryUsers).where('groupIds', id).size, as: integer },
    'id',
  ],
  empty: 'No groups yet.',
};
