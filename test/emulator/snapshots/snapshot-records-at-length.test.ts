import { takesLong } from '../../runner/requirements.js';
import { everyKind } from './damaged-records.js';
import { damagedSnapshotsAreRefused } from './snapshot-records.js';

takesLong('snapshots with every damaged record, each read as a whole', () =>
  damagedSnapshotsAreRefused(everyKind, 1, 1),
);
