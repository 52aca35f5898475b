// Text of agents and files as people may see it. Browsers run this too.

/**
 * Sequences that only paint: colours and places (CSI), links around a text, two characters. Others (titles, clipboards) carry
 * text, which must stay visible: a reader would approve something else than what the next agent reads.
 */
const painting =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\]8;[^\u0000-\u001f\u007f-\u009f]*(?:\u0007|\u001b\\)|\u001b(?![[\]PX^_])[ -/]*[0-~]/g;

/** Controls, and the marks that turn the direction of writing: both change what a reader sees without being seen. */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** The styles that our own lines are painted with. */
const ownStyles = /(\u001b\[(?:0|1|2|3|4|9|22|23|24|29|3[1-79]|9[0-7])m)/;

/** On a line of ours: escape sequences and other unseen characters are gone, lines stay. */
export function untrustedText(text: string): string {
  return withoutPainting(text.replace(/\r\n?/g, '\n')).replace(unseen, '').replaceAll('\t', '  ');
}

/** The same on one line. */
export function untrustedLine(text: string): string {
  return untrustedText(text).replace(/\s+/g, ' ').trim();
}

/** A whole text: colours are dropped, and what could deceive becomes visible. */
export function visibleText(text: string): string {
  return withoutPainting(text.replace(/^\ufeff/, '').replace(/\r\n/g, '\n')).replace(unseen, '�');
}

/** What we print with text of others in it: only our own colours reach the terminal. */
export function terminalText(text: string): string {
  return text
    .split(ownStyles)
    .map((part, index) => (index % 2 === 1 ? part : visibleText(part)))
    .join('');
}

/** JSON with every character escaped that a terminal obeys or a reader does not see; it means the same. */
export function visibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    unseen,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function withoutPainting(text: string): string {
  return text.replace(painting, '');
}
