// Builds and packs the package, and prints the path of the tarball. The tests use it and build nothing again.
import { tarball } from './install.js';

console.log(await tarball());
