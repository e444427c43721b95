// Runs a mirror in the SQLite that a runtime brings itself, and prints the result as JSON.

import { ownDatabase } from '../databases/own-sqlite.js';
import { lifeIn } from './life.js';

console.log(JSON.stringify(await lifeIn(ownDatabase)));
