/** Escape sequences of terminals: CSI, OSC with its end, and two-character ones. */
const escapes =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/g;

/** Control characters, and those that turn the direction of text around so that it reads as something else. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of agents as it may be shown: colours of terminals are dropped, what could deceive becomes visible. */
export function cleanText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(escapes, '').replace(controls, '�');
}
