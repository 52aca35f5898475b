import { CharretteError } from '../../base/errors.ts';
import { type Condition, ordinalLevels } from './condition.ts';

/** What a value must be that is ordered against a level or a number, in the words of a request. */
export const scaleWords = { level: `one of ${ordinalLevels.join(', ')}`, number: 'a number' } as const;

/** A variable that a condition orders against a level or a number. */
export type Ordering = { path: string; scale: keyof typeof scaleWords };

/** Every variable whose value must stand on a scale, or the condition cannot be decided. */
export function orderings(condition: Condition): Ordering[] {
  if (condition.kind === 'literal' || condition.kind === 'variable') return [];
  if (condition.kind === 'not') return orderings(condition.operand);
  const { left, right } = condition;
  if (condition.kind !== 'compare') return [...orderings(left), ...orderings(right)];
  if (!/[<>]/.test(condition.operator)) return [];
  return [
    [left, right],
    [right, left],
  ].flatMap(([side, other]): Ordering[] => {
    if (side?.kind !== 'variable' || other?.kind !== 'literal') return [];
    const scale = typeof other.value === 'number' ? 'number' : 'level';
    return rank(other.value) === undefined ? [] : [{ path: side.path, scale }];
  });
}

export function isOnScale(value: unknown, scale: Ordering['scale']): boolean {
  const level = levelOf(value) >= 0;
  return scale === 'level' ? level : !level && rank(value) !== undefined;
}

/**
 * Evaluates with values looked up by dotted path. Levels compare by their order, numbers as numbers, else as text; an
 * order of what nothing has given does not hold, one of what has no order is an error.
 */
export function evaluateCondition(condition: Condition, lookup: (path: string) => unknown): boolean {
  return truthy(valueIn(condition, lookup));
}

function valueIn(condition: Condition, lookup: (path: string) => unknown): unknown {
  switch (condition.kind) {
    case 'literal':
      return condition.value;
    case 'variable':
      return lookup(condition.path);
    case 'not':
      return !truthy(valueIn(condition.operand, lookup));
    case 'and':
      return truthy(valueIn(condition.left, lookup)) && truthy(valueIn(condition.right, lookup));
    case 'or':
      return truthy(valueIn(condition.left, lookup)) || truthy(valueIn(condition.right, lookup));
    default: {
      const [left, right] = [valueIn(condition.left, lookup), valueIn(condition.right, lookup)];
      const result = compare(condition.operator, left, right);
      if (result !== undefined) return result;
      throw undecidable(condition, left, right);
    }
  }
}

function truthy(value: unknown): boolean {
  return value === 'false' ? false : Boolean(value);
}

/** Undefined where two values have no order. */
function compare(operator: string, left: unknown, right: unknown): boolean | undefined {
  if (operator === '==' || operator === '!=') {
    const same =
      left === right || (left !== undefined && right !== undefined && String(left) === String(right));
    return operator === '==' ? same : !same;
  }
  // A phase that was skipped has given nothing, which is no mistake.
  if ((left ?? undefined) === undefined || (right ?? undefined) === undefined) return false;
  const [a, b] = [rank(left), rank(right)];
  if (a === undefined || b === undefined) return undefined;
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}

function rank(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const level = levelOf(value);
  if (level >= 0) return level;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isNaN(number) ? undefined : number;
}

function levelOf(value: unknown): number {
  return ordinalLevels.indexOf(String(value).trim().toLowerCase());
}

function undecidable(
  { operator, left, right }: Extract<Condition, { kind: 'compare' }>,
  ...values: unknown[]
): CharretteError {
  const [first, second] = [left, right].map((side) => {
    if (side.kind === 'variable') return side.path;
    return side.kind === 'literal' ? String(side.value) : '(…)';
  });
  return new CharretteError({
    code: 'usage',
    message: `The condition ${first} ${operator} ${second} cannot be decided for ${values.map((value) => JSON.stringify(value)).join(' and ')}: only levels (${ordinalLevels.join(' < ')}) and numbers have an order.`,
    fix: 'Compare with == in the condition, or order a level or a number.',
  });
}
