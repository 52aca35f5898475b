import type { Middleware, Router } from '../http/router.ts';
import type { OrderService } from './order-service.ts';

export function orderRoutes(router: Router, orders: OrderService, authenticated: Middleware): void {
  router.add(
    'POST',
    '/orders',
    authenticated(async ({ customerId = '' }) => ({ status: 201, body: await orders.place(customerId) })),
  );

  router.add(
    'GET',
    '/orders',
    authenticated(async ({ customerId = '' }) => ({ status: 200, body: await orders.list(customerId) })),
  );

  router.add(
    'GET',
    '/orders/:id',
    authenticated(async ({ customerId = '', params }) => ({
      status: 200,
      body: await orders.get(customerId, params.id ?? ''),
    })),
  );
}
