import { takesLong } from '../../runner/requirements.js';
import { everyKind } from './damaged-records.js';
import { damagedSnapshotsAreRefused } from './snapshot-records.js';

takesLong('with half of all damages, and a complete read of every fourth restored snapshot,', () =>
  damagedSnapshotsAreRefused(everyKind, 2, 4),
);
