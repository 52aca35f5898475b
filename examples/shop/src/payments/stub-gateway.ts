import { notFound } from '../errors.ts';
import type { Charge, ChargeRequest, PaymentGateway, Refund } from './gateway.ts';

/** A payment provider that lives in memory and declines every amount above its limit. */
export class StubGateway implements PaymentGateway {
  readonly #charges = new Map<string, ChargeRequest>();
  readonly #limit: number;

  constructor(limit = 100_000) {
    this.#limit = limit;
  }

  async charge(request: ChargeRequest): Promise<Charge> {
    if (request.amount > this.#limit) return { outcome: 'declined', reason: 'limit exceeded' };
    const id = `charge-${request.reference}`;
    this.#charges.set(id, request);
    return { outcome: 'accepted', id };
  }

  async refund(chargeId: string): Promise<Refund> {
    const charge = this.#charges.get(chargeId);
    if (charge === undefined) throw notFound('charge');
    this.#charges.delete(chargeId);
    return { id: `refund-${chargeId}`, amount: charge.amount };
  }
}
