// The history that scripts/example-repository.mjs gives the example: who changed what, and what it looked like before.
// A commit adds its `add` files and changes its `change` files; `before` holds, per changed file, pairs of text as it is
// now and text as it was, so that earlier states are made from today's files and never drift from them.

const ines = 'Ines Calder <ines@shop.example>';
const tomas = 'Tomas Rehn <tomas@shop.example>';

export const history = [
  {
    author: ines,
    date: '2026-01-12T09:14:00+01:00',
    message: 'Start with configuration, logging and errors',
    add: [
      'package.json',
      '.gitignore',
      'src/config.ts',
      'src/logger.ts',
      'src/errors.ts',
      'test/config.test.ts',
    ],
  },
  {
    author: ines,
    date: '2026-01-12T15:40:00+01:00',
    message: 'Route requests by method and path\n\nPlain node:http is enough for a dozen routes.',
    add: [
      'src/http/router.ts',
      'src/http/body.ts',
      'src/http/responses.ts',
      'src/http/handle.ts',
      'test/router.test.ts',
    ],
  },
  {
    author: tomas,
    date: '2026-01-13T10:05:00+01:00',
    message: 'Keep records in memory behind a store interface',
    add: ['src/storage/store.ts', 'src/storage/memory-store.ts', 'test/storage.test.ts'],
  },
  {
    author: tomas,
    date: '2026-01-14T11:30:00+01:00',
    message: 'Add the product catalogue',
    add: [
      'src/products/product.ts',
      'src/products/catalogue.ts',
      'src/products/routes.ts',
      'src/products/seed.ts',
    ],
  },
  {
    author: ines,
    date: '2026-01-16T09:50:00+01:00',
    message: 'Register customers and sign them in with tokens',
    add: [
      'src/auth/passwords.ts',
      'src/auth/tokens.ts',
      'src/auth/authenticate.ts',
      'src/auth/routes.ts',
      'src/customers/customer-service.ts',
      'test/tokens.test.ts',
    ],
  },
  {
    author: tomas,
    date: '2026-01-20T14:22:00+01:00',
    message: 'Let customers fill a cart',
    add: ['src/carts/cart.ts', 'src/carts/cart-service.ts', 'src/carts/routes.ts', 'test/cart.test.ts'],
  },
  {
    author: tomas,
    date: '2026-01-22T10:11:00+01:00',
    message:
      'Describe the payment gateway and add a stub\n\nThe real provider comes later; charge and refund are all we need of it.',
    add: ['src/payments/gateway.ts', 'src/payments/stub-gateway.ts'],
  },
  {
    author: ines,
    date: '2026-01-27T16:45:00+01:00',
    message: 'Place the cart as an order and charge for it',
    add: ['src/orders/order.ts', 'src/orders/order-service.ts', 'src/orders/routes.ts'],
  },
  {
    author: ines,
    date: '2026-01-29T09:33:00+01:00',
    message: 'Put the shop together and test it over HTTP',
    add: [
      'src/app.ts',
      'src/main.ts',
      'test/shop.ts',
      'test/api.test.ts',
      'test/orders.test.ts',
      'README.md',
    ],
  },
  {
    author: tomas,
    date: '2026-02-03T13:20:00+01:00',
    message: 'Keep records in files when SHOP_DATA is set',
    add: ['src/storage/file-store.ts'],
    before: {
      'src/config.ts': [
        [
          '  /** Where records are kept; absent means in memory. */\n  dataDirectory: string | undefined;\n',
          '',
        ],
        ['    dataDirectory: env.SHOP_DATA,\n', ''],
      ],
      'src/main.ts': [
        ["import { FileStore } from './storage/file-store.ts';\n", ''],
        [
          'const store = config.dataDirectory === undefined ? new MemoryStore() : new FileStore(config.dataDirectory);',
          'const store = new MemoryStore();',
        ],
      ],
      'test/storage.test.ts': [
        ["import { mkdtemp, rm } from 'node:fs/promises';\n", ''],
        ["import { tmpdir } from 'node:os';\nimport { join } from 'node:path';\n", ''],
        ["import { FileStore } from '../src/storage/file-store.ts';\n", ''],
        [/\ntest\('records are kept in files[\s\S]*$/, ''],
      ],
      'README.md': [[/ A store keeps[^.]*\./, ' Records are kept in memory.']],
    },
  },
  {
    author: ines,
    date: '2026-02-10T11:02:00+01:00',
    message: 'Ship for free from 50 euros on',
    before: {
      'src/carts/cart.ts': [
        [
          '/** From this value of goods on, in cents, shipping is free. */\nexport const freeShippingFrom = 5000;\n\n',
          '',
        ],
        ['goods === 0 || goods >= freeShippingFrom ? 0', 'goods === 0 ? 0'],
      ],
      'test/cart.test.ts': [
        ['import { freeShippingFrom, priceCart, withQuantity }', 'import { priceCart, withQuantity }'],
        [/\ntest\('large orders ship for free[\s\S]*$/, ''],
      ],
    },
  },
  {
    author: tomas,
    date: '2026-02-17T15:18:00+01:00',
    message:
      'Put the stock back when an order fails\n\nA declined payment left the pieces taken; nobody could buy them any more.',
    before: {
      'src/products/catalogue.ts': [[/\n {2}async returnStock\([\s\S]*?\n {2}}\n/, '']],
      'src/orders/order-service.ts': [
        ['      await this.#returnStock(order.lines);\n', ''],
        [
          / {4}const taken: Order\['lines'\] = \[\];\n {4}try \{\n[\s\S]*?\n {4}}\n {2}}\n/,
          '    for (const line of order.lines) await this.#parts.catalogue.takeStock(line.productId, line.quantity);\n  }\n',
        ],
        [/\n {2}async #returnStock\([\s\S]*?\n {2}}\n/, ''],
      ],
      'test/orders.test.ts': [
        [/\ntest\('an order for more than there is[\s\S]*?\n}\);\n/, ''],
        [/\ntest\('a declined payment puts the stock back[\s\S]*?\n}\);\n/, ''],
        ["import { StubGateway } from '../src/payments/stub-gateway.ts';\n", ''],
      ],
    },
  },
  {
    author: ines,
    date: '2026-02-24T10:47:00+01:00',
    message: 'Find products by words',
    before: {
      'src/products/catalogue.ts': [
        [
          / {2}\/\*\* All products whose title[\s\S]*?\n {2}}\n/,
          "  /** All products, by title. */\n  async list(): Promise<Product[]> {\n    const products = await this.#store.list<Product>('products');\n    return products.sort((a, b) => a.title.localeCompare(b.title));\n  }\n",
        ],
        [/\nfunction scoreProduct[\s\S]*$/, ''],
      ],
      'src/products/routes.ts': [
        ["'/products', async (request) => ({", "'/products', async () => ({"],
        ["catalogue.search(request.query.get('search') ?? '')", 'catalogue.list()'],
      ],
      'test/api.test.ts': [
        ['products are listed and found by words', 'products are listed'],
        [/ {2}const found = await[\s\S]*?\n}\);\n/, '});\n'],
      ],
      'README.md': [[/^\| `GET \/products\?search=`.*$/m, '| `GET /products` | no | lists products |']],
    },
  },
  {
    author: tomas,
    date: '2026-03-02T09:08:00+01:00',
    message: 'Log how long each request took',
    before: {
      'src/http/handle.ts': [
        ['  const started = performance.now();\n', ''],
        ['    milliseconds: Math.round(performance.now() - started),\n', ''],
      ],
    },
  },
];
