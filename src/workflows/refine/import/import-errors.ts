import { CharretteError } from '../../../base/errors.ts';
import type { Offence } from './scan-entries.ts';

const codeBased =
  'To go on without the bundle, run `charrette refine --path code`, which builds from the design documents.';

export function notFound(file: string): CharretteError {
  return new CharretteError({
    code: 'DESIGN_IMPORT_NOT_FOUND',
    message: `There is no readable bundle at ${file}.`,
    fix: `Give the path of a .zip or .html file. ${codeBased}`,
  });
}

export function unsupportedFormat(found: string): CharretteError {
  return new CharretteError({
    code: 'DESIGN_IMPORT_UNSUPPORTED_FORMAT',
    message: `The bundle is ${found}; supported are a ZIP archive (.zip) and one HTML page (.html, .htm).`,
    fix: `Export the design again as ZIP or HTML. ${codeBased}`,
  });
}

/** Three lines that others look for: what was found, what is supported, what to do instead. */
export function unsupportedVersion(detected: string, supported: readonly string[]): CharretteError {
  return new CharretteError({
    code: 'DESIGN_IMPORT_UNSUPPORTED_VERSION',
    message: [
      'the version of the bundle is not supported',
      `Detected bundle version: v${detected}`,
      `Supported versions: ${supported.join(', ')}`,
      'Switch to path B: run charrette refine --path code',
    ].join('\n'),
    fix: 'Add the version to design.claude_design.supported_bundle_versions only when you know that it reads the same.',
  });
}

const shownOffences = 20;

export function securityReject(offences: readonly Offence[]): CharretteError {
  const lines = offences
    .slice(0, shownOffences)
    .map(({ entry, reason }) => `  ${JSON.stringify(entry)}: ${reason}`);
  const more = offences.length > shownOffences ? [`  and ${offences.length - shownOffences} more`] : [];
  return new CharretteError({
    code: 'DESIGN_IMPORT_SECURITY_REJECT',
    message: ['the bundle was refused and nothing was written:', ...lines, ...more].join('\n'),
    fix: `Take these entries out of the bundle, or export it again. ${codeBased}`,
  });
}

export function missingManifest(found: string): CharretteError {
  return new CharretteError({
    code: 'DESIGN_IMPORT_MISSING_MANIFEST',
    message: `The bundle ${found}; without manifest.json and its format_version its version is unknown.`,
    fix: `Export the design again. ${codeBased}`,
  });
}
