// Builds and packs the package, and prints where the tarball is. The tests find it there and build nothing a second time.
import { tarball } from './install.js';

console.log(await tarball());
