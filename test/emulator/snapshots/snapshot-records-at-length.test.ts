import { takesLong } from '../../runner/requirements.js';
import { everyKind } from './damaged-records.js';
import { damagedSnapshotsAreRefused } from './snapshot-records.js';

takesLong('snapshots with every other damaged record, every fourth of which is read as a whole', () =>
  damagedSnapshotsAreRefused(everyKind, 2, 4),
);
