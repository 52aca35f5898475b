import type { Config } from '../config.ts';
import type { CustomerService } from '../customers/customer-service.ts';
import { readFields } from '../http/body.ts';
import type { Router } from '../http/router.ts';
import { issueToken } from './tokens.ts';

export function authRoutes(
  router: Router,
  customers: CustomerService,
  config: Config,
  now: () => Date,
): void {
  router.add('POST', '/customers', async (request) => {
    const { email, password } = readFields(request.body, { email: 'string', password: 'string' });
    const customer = await customers.register(email, password);
    return { status: 201, body: { id: customer.id, email: customer.email } };
  });

  router.add('POST', '/tokens', async (request) => {
    const { email, password } = readFields(request.body, { email: 'string', password: 'string' });
    const customer = await customers.signIn(email, password);
    const expiresAt = now().getTime() + config.tokenLifetimeSeconds * 1000;
    const token = issueToken(config.tokenSecret, { customerId: customer.id, expiresAt });
    return { status: 201, body: { token, expiresAt } };
  });
}
