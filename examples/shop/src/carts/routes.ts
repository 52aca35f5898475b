import { readFields } from '../http/body.ts';
import type { Middleware, Router } from '../http/router.ts';
import type { CartService } from './cart-service.ts';

export function cartRoutes(router: Router, carts: CartService, authenticated: Middleware): void {
  router.add(
    'GET',
    '/cart',
    authenticated(async ({ customerId = '' }) => ({
      status: 200,
      body: await carts.price(await carts.get(customerId)),
    })),
  );

  router.add(
    'PUT',
    '/cart/items/:productId',
    authenticated(async ({ customerId = '', params, body }) => {
      const { quantity } = readFields(body, { quantity: 'number' });
      return { status: 200, body: await carts.setQuantity(customerId, params.productId ?? '', quantity) };
    }),
  );
}
