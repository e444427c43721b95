import { type Dialect, type DialectChoice, dialects } from './dialect.js';

/** A dialect with the behavior of the emulator that goes with it. The presets have this behavior, and so do copies of them. */
export interface EmulatedDialect extends Dialect {
  /** Success statuses of the emulator: those of the specification or of the public service. */
  readonly successStatus: 'spec' | 'public';
  /** State of a connected directory in the emulator's events. With `active`, a disconnected one is `inactive`. */
  readonly directoryStateInEvents: 'linked' | 'active';
  /** Whether the emulator adds fields that the public service sends but the specification does not define. */
  readonly extraResponseFields: boolean;
  /** Whether the emulator writes null for absent values, such as a picture; otherwise it omits them. */
  readonly nullForAbsent: boolean;
  /** Whether the emulator accepts `email` when a user is updated. */
  readonly userEmailUpdate: boolean;
  /**
   * Whether the emulator has the other rules of the public service: an invitation creates a pending membership, and otherwise the
   * acceptance creates it; a list of memberships needs a filter, and has only active ones unless `statuses` is sent; external ids and
   * metadata are limited; token endpoints also accept the client id and secret in the Authorization header (RFC 6749); operations and
   * fields that are not emulated are refused by name.
   */
  readonly isPublicService: boolean;
  /** Milliseconds during which the emulator answers a used refresh token again, unless the option says otherwise. */
  readonly refreshReuseMs: number;
  /** Code of the emulator's 422 response to missing or invalid fields. */
  readonly invalidRequestCode: string;
}

/** The keys that only the emulator needs. */
type Behavior = Omit<EmulatedDialect, keyof Dialect>;

/** Return the behavior that the public service adds to the specification. */
const publicBehavior = (arePublic: boolean) => ({
  extraResponseFields: arePublic,
  nullForAbsent: arePublic,
  userEmailUpdate: arePublic,
  isPublicService: arePublic,
});

const behaviors: Readonly<Record<'spec' | 'public', Behavior>> = {
  spec: {
    successStatus: 'spec',
    directoryStateInEvents: 'linked',
    invalidRequestCode: 'validation_error',
    refreshReuseMs: 0,
    ...publicBehavior(false),
  },
  public: {
    successStatus: 'public',
    directoryStateInEvents: 'active',
    invalidRequestCode: 'invalid_request_parameters',
    refreshReuseMs: 30_000,
    ...publicBehavior(true),
  },
};

/** Add the behavior to a dialect: that of the preset that it is a copy of, or of `spec`. Keys of the dialect win. */
const withBehavior = (dialect: Dialect & { readonly behavior?: keyof typeof behaviors }): EmulatedDialect =>
  Object.freeze({ ...behaviors[dialect.behavior ?? 'spec'], ...dialect });

/** The presets with the behavior of the emulator. */
export const emulatedDialects = { spec: withBehavior(dialects.spec), workos: withBehavior(dialects.workos) } as const;

/** Return a dialect with the behavior of the emulator. */
export function emulatedOf(dialect: Dialect): EmulatedDialect {
  if ('successStatus' in dialect) return dialect as EmulatedDialect;
  if (dialect === dialects.spec) return emulatedDialects.spec;
  return dialect === dialects.workos ? emulatedDialects.workos : withBehavior(dialect);
}

/** Return the choice of a dialect: the name of a preset, or the dialect itself. */
export function choiceOf(dialect: EmulatedDialect): DialectChoice {
  if (dialect === emulatedDialects.spec) return 'spec';
  return dialect === emulatedDialects.workos ? 'workos' : dialect;
}
