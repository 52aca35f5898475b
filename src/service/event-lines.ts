import { formatElapsed, untrustedLine } from '../base/text/strings.ts';
import type { RunEvent } from '../engine/event.ts';

export type LineOptions = { verbose: boolean };

/** The lines that an event is on a terminal; most events of a lane are none unless more detail is asked for. */
export function linesOf(event: RunEvent, { verbose }: LineOptions): string[] {
  switch (event.type) {
    case 'run-start':
      return [`run ${event.run}`];
    case 'run-resume':
      return [`resuming ${event.run}`];
    case 'run-pause':
      return event.reason === 'question'
        ? ['⏸ waiting for an answer']
        : ['⏸ stopped; everything finished so far is saved'];
    case 'run-end':
      return event.message === undefined ? [] : [`${event.status}: ${event.message}`];
    case 'phase-start':
    case 'phase-end':
    case 'phase-skip':
      return event.line === undefined ? [] : event.line.split('\n');
    case 'warning':
      return [event.text.startsWith('**') ? event.text : `**⚠ ${event.text}**`];
    case 'note':
      return [event.text];
    case 'lane-retry':
      return [
        `⏳ ${event.lane}: ${event.agent} ${event.kind} (${event.message}); attempt ${event.attempt} failed`,
      ];
    case 'question-ask':
      return event.questions.map((question) => `? ${question.id}: ${question.text}`);
    case 'lane-start':
      return verbose ? [`⏳ ${event.lane}: ${event.agent}, attempt ${event.attempt}`] : [];
    case 'lane-end':
      return verbose
        ? [
            `${event.kind === 'ok' ? '✅' : '❌'} ${event.lane}: ${event.agent} (${formatElapsed(event.elapsedMs)})`,
          ]
        : [];
    case 'artifact-write':
      return verbose ? [`  wrote ${event.name} (${event.bytes} bytes)`] : [];
    default:
      return [];
  }
}

/** The words of a breadcrumb line without its separator, emphasis, leading mark and closing time. */
export function phaseTitle(line: string): string {
  const last = line.split('\n').findLast((part) => part.trim() !== '') ?? '';
  return withoutEmphasis(untrustedLine(last))
    .replace(/^[^\p{Letter}\p{Number}]+/u, '')
    .replace(/ \((?:\d+[hms])+\)$/, '');
}

/** A note or a warning without the emphasis that it has on plain lines. */
export function noteText(text: string): string {
  return withoutEmphasis(untrustedLine(text)).replace(/^⚠\s*/u, '');
}

function withoutEmphasis(line: string): string {
  return line.replace(/^>\s*/, '').replace(/^\*\*(.*)\*\*$/, '$1');
}
