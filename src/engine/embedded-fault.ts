/** SQLSTATEs of a machine that has run out of something or refuses it, with the name that the system has for it. */
const systemCodes: Readonly<Record<string, string>> = {
  // Nobody but the file system refuses anything to the one user that there is.
  '42501': 'EACCES',
  '53000': 'EMFILE',
  '53100': 'ENOSPC',
  '53200': 'ENOMEM',
};

/**
 * An error of the embedded database as its callers want it. The durable engine takes a lack of resources for a server that is soon
 * back and asks again for ever, without a word; here it is this machine that lacks them, and says so as for any other file. The
 * message begins with the name, which is all that stays of an error in the journal.
 */
export function embeddedFault(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const code = systemCodes[error.code];
  // Without the cause: the durable engine looks at that, too.
  return code === undefined ? error : Object.assign(new Error(`${code}: ${error.message}`), { code });
}
