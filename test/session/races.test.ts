import { racesInOneProcess } from './race.js';

racesInOneProcess(1);
