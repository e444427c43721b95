/** Why a state file cannot be used, and what the user can do. */
interface Problem {
  readonly why: string;
  readonly next: string;
}

const noSpace: Problem = { why: 'The disk is full', next: 'Free some space, or use another file' };
const mounted: Problem = {
  why: 'The file itself is mounted, for example into a container, so it cannot be replaced',
  next: 'Mount its folder instead, and use the file in it',
};

const byCode: Readonly<Record<string, Problem>> = {
  ENOENT: { why: 'The folder does not exist', next: 'Create it, or use another file' },
  EACCES: {
    why: 'The current user may not read and write there',
    next: 'Change the permissions of the file and its folder, or use another file',
  },
  EPERM: { why: 'It belongs to another user', next: 'Change its owner, or use another file' },
  EROFS: { why: 'The file system is read-only', next: 'Use another file' },
  ENOSPC: noSpace,
  EDQUOT: noSpace,
  EBUSY: mounted,
  EXDEV: mounted,
};

/** Explain an error of a state file. */
export function problemOf(error: unknown): Problem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const why = error instanceof Error ? error.message : String(error);
  return byCode[code] ?? { why, next: 'Use another file' };
}
