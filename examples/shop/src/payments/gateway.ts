export type ChargeRequest = {
  /** Our order id; charging the same reference twice must not take money twice. */
  reference: string;
  /** Whole cents. */
  amount: number;
};

export type Charge = { outcome: 'accepted'; id: string } | { outcome: 'declined'; reason: string };

export type Refund = { id: string; amount: number };

/** What the shop needs of a payment provider. */
export interface PaymentGateway {
  charge(request: ChargeRequest): Promise<Charge>;
  /** Pays a charge back in full. */
  refund(chargeId: string): Promise<Refund>;
}
