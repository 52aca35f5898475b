import type { CartLine } from '../carts/cart.ts';
import { conflict } from '../errors.ts';

export type OrderStatus = 'placed' | 'paid' | 'shipped' | 'failed';

export type Order = {
  id: string;
  customerId: string;
  placedAt: string;
  status: OrderStatus;
  lines: CartLine[];
  shipping: number;
  total: number;
  /** The charge at the payment gateway, once there is one. */
  chargeId?: string;
};

const allowedChanges: Record<OrderStatus, readonly OrderStatus[]> = {
  placed: ['paid', 'failed'],
  paid: ['shipped'],
  shipped: [],
  failed: [],
};

/** The order in its next status; refuses a change that the table of statuses does not allow. */
export function changeStatus(order: Order, status: OrderStatus): Order {
  if (!allowedChanges[order.status].includes(status)) {
    throw conflict('wrong_status', `An order that is ${order.status} cannot become ${status}.`);
  }
  return { ...order, status };
}
