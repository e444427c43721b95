import { damagedSnapshotsAreRefused } from './snapshot-records.js';

damagedSnapshotsAreRefused([null, {}], 5, 8);
