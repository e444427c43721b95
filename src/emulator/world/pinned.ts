import { chosenId, optional } from '../../service/describe/define.js';

/** What every creation model begins with, in seeds and in controls alike. */
export const pinned = {
  /** An id to be known by; a new one when not given. */
  id: optional(chosenId),
};

/** What a chosen id is made of: it is part of paths, and of lists with commas. A path cannot end in dots alone. */
export const idForm = /^(?!\.+$)[A-Za-z0-9_.~-]+$/;
