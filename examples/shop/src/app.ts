import { createServer, type Server } from 'node:http';
import { requireCustomer } from './auth/authenticate.ts';
import { authRoutes } from './auth/routes.ts';
import { CartService } from './carts/cart-service.ts';
import { cartRoutes } from './carts/routes.ts';
import type { Config } from './config.ts';
import { CustomerService } from './customers/customer-service.ts';
import { handleRequest } from './http/handle.ts';
import { Router } from './http/router.ts';
import type { Logger } from './logger.ts';
import { OrderService } from './orders/order-service.ts';
import { orderRoutes } from './orders/routes.ts';
import type { PaymentGateway } from './payments/gateway.ts';
import { Catalogue } from './products/catalogue.ts';
import { productRoutes } from './products/routes.ts';
import type { Store } from './storage/store.ts';

export type AppParts = {
  config: Config;
  logger: Logger;
  store: Store;
  gateway: PaymentGateway;
  now: () => Date;
};

/** Puts the shop together and returns its HTTP server, not yet listening. */
export function createApp({ config, logger, store, gateway, now }: AppParts): Server {
  const catalogue = new Catalogue(store);
  const customers = new CustomerService(store);
  const carts = new CartService(store, catalogue, config.shippingFee);
  const orders = new OrderService({ store, catalogue, carts, gateway, logger, now });
  const authenticated = requireCustomer(config.tokenSecret, now);

  const router = new Router();
  productRoutes(router, catalogue);
  authRoutes(router, customers, config, now);
  cartRoutes(router, carts, authenticated);
  orderRoutes(router, orders, authenticated);

  return createServer((request, response) => {
    void handleRequest(router, logger, request, response);
  });
}
