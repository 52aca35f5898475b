import { randomUUID } from 'node:crypto';
import type { CartService } from '../carts/cart-service.ts';
import { badRequest, notFound, ShopError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { PaymentGateway } from '../payments/gateway.ts';
import type { Catalogue } from '../products/catalogue.ts';
import type { Store } from '../storage/store.ts';
import { changeStatus, type Order } from './order.ts';

export type OrderParts = {
  store: Store;
  catalogue: Catalogue;
  carts: CartService;
  gateway: PaymentGateway;
  logger: Logger;
  now: () => Date;
};

export class OrderService {
  readonly #parts: OrderParts;

  constructor(parts: OrderParts) {
    this.#parts = parts;
  }

  /** Turns the customer's cart into an order, takes the stock and charges the total. */
  async place(customerId: string): Promise<Order> {
    const { carts, store, now } = this.#parts;
    const priced = await carts.price(await carts.get(customerId));
    if (priced.lines.length === 0) throw badRequest('The cart is empty.');
    const order: Order = {
      id: randomUUID(),
      customerId,
      placedAt: now().toISOString(),
      status: 'placed',
      lines: priced.lines,
      shipping: priced.shipping,
      total: priced.total,
    };
    await this.#takeStock(order);
    await store.put('orders', order.id, order);
    const paid = await this.#charge(order);
    await carts.clear(customerId);
    return paid;
  }

  async get(customerId: string, id: string): Promise<Order> {
    const order = await this.#parts.store.get<Order>('orders', id);
    if (order === undefined || order.customerId !== customerId) throw notFound('order');
    return order;
  }

  /** The customer's orders, newest first. */
  async list(customerId: string): Promise<Order[]> {
    const orders = await this.#parts.store.list<Order>('orders');
    return orders
      .filter((order) => order.customerId === customerId)
      .sort((a, b) => b.placedAt.localeCompare(a.placedAt));
  }

  async #takeStock(order: Order): Promise<void> {
    const taken: Order['lines'] = [];
    try {
      for (const line of order.lines) {
        await this.#parts.catalogue.takeStock(line.productId, line.quantity);
        taken.push(line);
      }
    } catch (error) {
      await this.#returnStock(taken);
      throw error;
    }
  }

  async #returnStock(lines: Order['lines']): Promise<void> {
    for (const line of lines) await this.#parts.catalogue.returnStock(line.productId, line.quantity);
  }

  async #charge(order: Order): Promise<Order> {
    const { gateway, logger, store } = this.#parts;
    const charge = await gateway.charge({ reference: order.id, amount: order.total });
    if (charge.outcome === 'declined') {
      logger.warn('payment declined', { order: order.id, reason: charge.reason });
      await this.#returnStock(order.lines);
      await store.put('orders', order.id, changeStatus(order, 'failed'));
      throw new ShopError(402, 'payment_declined', `The payment was declined: ${charge.reason}.`);
    }
    const paid = { ...changeStatus(order, 'paid'), chargeId: charge.id };
    await store.put('orders', order.id, paid);
    return paid;
  }
}
