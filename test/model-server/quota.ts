import type { QuotaMode } from './faults.ts';
import type { Wire } from './view.ts';

/** What goes with an answer or a refusal; without a body the answer is given. */
export type QuotaAnswer = { headers: Record<string, string>; body?: unknown };

/** Far enough ahead that the refused call has ended. */
export const resetSeconds = 5;
const daySeconds = 86_400;

/** The limits of a subscription, as the vendor's own service reports them to its program. */
export function quotaAnswer(mode: QuotaMode, wire: Wire['name'], now: number): QuotaAnswer {
  const second = Math.floor(now / 1000);
  const isWeek = mode === 'quota-7d' || mode === 'warning';
  const resets = {
    hours: second + resetSeconds,
    week: second + 2 * daySeconds,
  };
  const resetsAt = isWeek ? resets.week : resets.hours;
  const isRefused = mode === 'quota-5h' || mode === 'quota-7d';
  const shares = { hours: isWeek ? 0.4 : 1, week: mode === 'quota-7d' ? 1 : 0.81 };
  if (wire === 'responses') {
    const headers = {
      'x-codex-primary-used-percent': String(shares.hours * 100),
      'x-codex-primary-window-minutes': '300',
      'x-codex-primary-reset-at': String(resets.hours),
      'x-codex-secondary-used-percent': String(shares.week * 100),
      'x-codex-secondary-window-minutes': '10080',
      'x-codex-secondary-reset-at': String(resets.week),
    };
    const error = { type: 'usage_limit_reached', message: 'limit', plan_type: 'plus', resets_at: resetsAt };
    return { headers, ...(isRefused ? { body: { error } } : {}) };
  }
  const statusOf = (share: number) => (share >= 1 ? 'rejected' : share > 0.8 ? 'allowed_warning' : 'allowed');
  const unified = {
    status: mode === 'warning' ? 'allowed_warning' : 'rejected',
    reset: String(resetsAt),
    'representative-claim': isWeek ? 'seven_day' : 'five_hour',
    ...(mode === 'warning' ? { '7d-surpassed-threshold': '0.75' } : {}),
    '5h-utilization': String(shares.hours),
    '5h-reset': String(resets.hours),
    '5h-status': statusOf(shares.hours),
    '7d-utilization': String(shares.week),
    '7d-reset': String(resets.week),
    '7d-status': statusOf(shares.week),
    'overage-status': mode === 'overage' ? 'allowed' : 'rejected',
    ...(mode === 'overage'
      ? { 'overage-in-use': 'true', 'overage-reset': String(resets.week) }
      : { 'overage-disabled-reason': 'org_level_disabled' }),
  };
  const headers = Object.fromEntries(
    Object.entries(unified).map(([name, value]) => [`anthropic-ratelimit-unified-${name}`, value]),
  );
  const error = { type: 'rate_limit_error', message: "This request would exceed your account's rate limit." };
  return { headers, ...(isRefused ? { body: { type: 'error', error } } : {}) };
}
