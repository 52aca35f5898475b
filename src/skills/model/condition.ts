import { CharretteError } from '../../base/errors.ts';

/** S-035: conditions of phases are expressions over declared variables; levels compare by this order, not as strings. */
export const ordinalLevels: readonly string[] = ['none', 'low', 'medium', 'high', 'critical'];

export type Condition =
  | { kind: 'literal'; value: string | number | boolean | undefined; quoted: boolean }
  | { kind: 'variable'; path: string }
  | { kind: 'not'; operand: Condition }
  | { kind: 'and' | 'or'; left: Condition; right: Condition }
  | { kind: 'compare'; operator: '==' | '!=' | '<' | '<=' | '>' | '>='; left: Condition; right: Condition };

type ConditionReading = { ok: true; condition: Condition } | { ok: false; message: string; at: number };

type Token = { kind: 'word' | 'string' | 'number' | 'operator'; text: string; at: number };

const tokenPattern =
  /\s*(?:(&&|\|\||===|!==|==|!=|<=|>=|≤|≥|≠|<|>|!|\(|\))|"([^"\n]*)"|'([^'\n]*)'|(\d+(?:\.\d+)?)|([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*))/y;

const spelledOperators: Readonly<Record<string, string>> = {
  '===': '==',
  '!==': '!=',
  '≤': '<=',
  '≥': '>=',
  '≠': '!=',
  and: '&&',
  AND: '&&',
  or: '||',
  OR: '||',
  NOT: 'not',
  not: 'not',
  is: '==',
};

const deepest = 64;
/** Operands in a row are nested too; no phase has so many. */
const longest = 4_000;

/** Parses `risk >= medium && (autoYes || !skip)`; never throws and never evaluates anything. */
export function parseCondition(text: string): ConditionReading {
  if (text.length > longest) return { ok: false, message: 'it is too long', at: longest };
  const tokens = tokenize(text);
  if (!Array.isArray(tokens)) return { ok: false, ...tokens };
  let position = 0;
  let depth = 0;
  class Stop extends Error {}
  const peek = () => tokens[position];
  const isOperator = (...texts: string[]) => {
    const token = peek();
    return token?.kind === 'operator' && texts.includes(token.text);
  };
  const or = (): Condition => {
    let left = and();
    while (isOperator('||')) {
      position += 1;
      left = { kind: 'or', left, right: and() };
    }
    return left;
  };
  const and = (): Condition => {
    let left = negation();
    while (isOperator('&&')) {
      position += 1;
      left = { kind: 'and', left, right: negation() };
    }
    return left;
  };
  /** As in speech the word `not` denies the whole comparison; the mark `!` holds on to the next value alone. */
  const negation = (): Condition => {
    if (!isOperator('not')) return comparison();
    position += 1;
    return { kind: 'not', operand: deeper(negation) };
  };
  const comparison = (): Condition => {
    const left = deeper(unary);
    const token = peek();
    if (token?.kind !== 'operator' || !/^(?:==|!=|<|<=|>|>=)$/.test(token.text)) return left;
    position += 1;
    const isNot = token.text === '==' && isOperator('not');
    if (isNot) position += 1;
    return { kind: 'compare', operator: isNot ? '!=' : (token.text as '=='), left, right: deeper(unary) };
  };
  const unary = (): Condition => {
    if (isOperator('!')) {
      position += 1;
      return { kind: 'not', operand: deeper(unary) };
    }
    if (isOperator('(')) {
      position += 1;
      const inner = or();
      if (!isOperator(')')) throw new Stop('a ")" is missing');
      position += 1;
      return inner;
    }
    const token = peek();
    if (token === undefined) throw new Stop('a value is missing at the end');
    if (token.kind === 'operator') throw new Stop(`"${token.text}" is where a value is expected`);
    position += 1;
    return literalOrVariable(token);
  };
  const deeper = (read: () => Condition): Condition => {
    depth += 1;
    if (depth > deepest) throw new Stop('it is nested too deeply');
    try {
      return read();
    } finally {
      depth -= 1;
    }
  };
  try {
    const condition = or();
    const rest = peek();
    if (rest !== undefined) return { ok: false, message: `"${rest.text}" is left over`, at: rest.at };
    return { ok: true, condition };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { ok: false, message: error.message, at: peek()?.at ?? text.length };
  }
}

function tokenize(text: string): Token[] | { message: string; at: number } {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < end) {
    const at = tokenPattern.lastIndex;
    const match = tokenPattern.exec(text);
    if (match === null) return { message: `"${text[at]}" is not understood`, at };
    const [, operator, double, single, number, word] = match;
    if (operator !== undefined)
      tokens.push({ kind: 'operator', text: spelledOperators[operator] ?? operator, at });
    else if (double !== undefined || single !== undefined)
      tokens.push({ kind: 'string', text: double ?? single ?? '', at });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, at });
    else if (word !== undefined) {
      const spelled = Object.hasOwn(spelledOperators, word) ? spelledOperators[word] : undefined;
      tokens.push({ kind: spelled === undefined ? 'word' : 'operator', text: spelled ?? word, at });
    }
  }
  return tokens;
}

function literalOrVariable(token: Token): Condition {
  if (token.kind === 'string') return { kind: 'literal', value: token.text, quoted: true };
  if (token.kind === 'number') return { kind: 'literal', value: Number(token.text), quoted: false };
  if (token.text === 'true' || token.text === 'false') {
    return { kind: 'literal', value: token.text === 'true', quoted: false };
  }
  if (token.text === 'null' || token.text === 'undefined')
    return { kind: 'literal', value: undefined, quoted: false };
  if (ordinalLevels.includes(token.text)) return { kind: 'literal', value: token.text, quoted: false };
  return { kind: 'variable', path: token.text };
}

/** S-094: every variable the expression reads, not only its first word. */
export function conditionVariables(condition: Condition): string[] {
  switch (condition.kind) {
    case 'literal':
      return [];
    case 'variable':
      return [condition.path];
    case 'not':
      return conditionVariables(condition.operand);
    default:
      return [...new Set([...conditionVariables(condition.left), ...conditionVariables(condition.right)])];
  }
}

/** Whether any comparison orders a level against a quoted string (DF005 in an expression). */
export function comparesOrdinalAsString(condition: Condition): boolean {
  if (condition.kind === 'not') return comparesOrdinalAsString(condition.operand);
  if (condition.kind === 'literal' || condition.kind === 'variable') return false;
  if (condition.kind === 'compare' && /[<>]/.test(condition.operator)) {
    return [condition.left, condition.right].some(
      (side) => side.kind === 'literal' && side.quoted && ordinalLevels.includes(String(side.value)),
    );
  }
  return comparesOrdinalAsString(condition.left) || comparesOrdinalAsString(condition.right);
}

/** What a value must be that is ordered against a level or a number, in the words of a request. */
export const scaleWords = { level: `one of ${ordinalLevels.join(', ')}`, number: 'a number' } as const;

/** A variable that a condition orders against a level or a number. */
export type Ordering = { path: string; scale: keyof typeof scaleWords };

/** Every variable whose value must be a level or a number for the condition to be decided. */
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
  // A skipped phase has no outputs, which is correct.
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
