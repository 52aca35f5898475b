import type { Router } from '../http/router.ts';
import type { Catalogue } from './catalogue.ts';

export function productRoutes(router: Router, catalogue: Catalogue): void {
  router.add('GET', '/products', async (request) => ({
    status: 200,
    body: await catalogue.search(request.query.get('search') ?? ''),
  }));

  router.add('GET', '/products/:id', async (request) => ({
    status: 200,
    body: await catalogue.get(request.params.id ?? ''),
  }));
}
