// What scripted agents answer when they design for the example shop: different stances, real places, votes that differ.

import { highlightsFor, sketchLabels } from './panel-answers.mjs';

const sketches = {
  Architecture: {
    summary: 'Cancelling is one more change of status, decided by the table that decides all the others.',
    approach:
      'The shop already has one place that says which status may follow which: `allowedChanges` in src/orders/order.ts:18-23. Cancelling belongs there: `paid` may become `cancelled`, `shipped` may not, and `changeStatus` refuses the rest with the error callers know (src/orders/order.ts:26-31).\n\nThe service gains one method, `cancel`, beside `place`. It reads the order through `get`, so that nobody cancels the order of somebody else, changes the status, pays the charge back and returns the stock with the helper that a declined payment already uses (src/orders/order-service.ts:74-76).\n\nThe route is `POST /orders/:id/cancel`, in the style of the three that are there.',
    decisions: [
      {
        title: 'Refund before or after the status',
        choice: 'Change the status first, then refund',
        reason: 'The status is the lock: a second request finds `cancelled` and stops.',
      },
      {
        title: 'Where the rule lives',
        choice: 'The table of statuses',
        reason: 'One place knows what may follow what.',
      },
    ],
    files: [
      { path: 'src/orders/order.ts', reason: 'the new status and what may become it' },
      { path: 'src/orders/order-service.ts', reason: '`cancel`' },
      { path: 'src/orders/routes.ts', reason: 'the route' },
    ],
    risks: [
      {
        risk: 'A refund that fails leaves a cancelled order unpaid-back.',
        mitigation: 'Keep `refundId`; a cancelled order without one is found by a query.',
      },
    ],
  },
  Edge: {
    summary: 'Money first: an order is only cancelled once the money is on its way back.',
    approach:
      'Two requests may arrive at the same time, and the store has no transactions (src/storage/store.ts:1-12). Whoever writes last wins. So the order of effects decides what a crash leaves behind.\n\nRefund first: if the process dies after the refund, the order still says `paid`, and a retry refunds again unless the gateway knows the charge. The gateway promises that for charges by reference (src/payments/gateway.ts:1-6) and is silent about refunds, so we keep the refund id before we change the status.\n\nStock is returned last, since a returned item can be sold again and must not be returned twice.',
    decisions: [
      {
        title: 'Refund before or after the status',
        choice: 'Refund first, then change the status',
        reason: 'A customer must never see `cancelled` without the money.',
      },
      {
        title: 'Orders without a charge',
        choice: 'Refuse to cancel what was never paid',
        reason: '`placed` and `failed` have nothing to pay back.',
      },
    ],
    files: [
      { path: 'src/orders/order-service.ts', reason: 'the order of effects' },
      { path: 'src/payments/stub-gateway.ts', reason: 'a refund that fails, for tests' },
    ],
    risks: [
      {
        risk: 'Two cancels at once refund twice.',
        mitigation: 'Write `cancelling` first; the second request sees it.',
      },
      {
        risk: 'The gateway is down.',
        mitigation: 'Leave the order `cancelling` and try again on the next request.',
      },
    ],
  },
  Innovation: {
    summary: 'Do not cancel orders: hold them for ten minutes before anything is charged.',
    approach:
      'Most cancellations come within minutes. If the charge waited for a short while, cancelling would be free: no refund, no fee, no race with the gateway. The order is placed, the stock is taken (src/orders/order-service.ts:61-72), and a timer charges later.\n\nWhat would have to be true: something must run the timer. Today nothing in the shop runs by itself, so the first step would be a small job runner. That is more than was asked for; the idea is worth keeping for the day there is one.\n\nUntil then: cancel by refund, and keep the refund in the order so that both ways end in the same record.',
    decisions: [
      { title: 'When to charge', choice: 'Later, from a job', reason: 'Cancelling becomes a deletion.' },
      { title: 'Where the rule lives', choice: 'The table of statuses', reason: 'It is there already.' },
    ],
    files: [{ path: 'src/orders/order-service.ts', reason: 'charging moves out of `place`' }],
    risks: [
      {
        risk: 'A charge that is declined later surprises the customer.',
        mitigation: 'Authorise now, capture later, if the gateway can.',
      },
    ],
  },
  Pragmatism: {
    summary: 'Three files, forty lines, no new machinery.',
    approach:
      'Everything needed is there: `refund` in the gateway (src/payments/gateway.ts:14-19), `#returnStock` in the service, `changeStatus` in the model. A method of a dozen lines joins them.\n\nThe one dangerous path is `place` (src/orders/order-service.ts:27-46): every customer goes through it, and nothing here needs to touch it. Neither does the catalogue.\n\nA test per status says who may cancel, and one says that stock and money are back. The existing tests over HTTP stay as they are.',
    decisions: [
      {
        title: 'Refund before or after the status',
        choice: 'Change the status first, then refund',
        reason: 'Fewest states; the log says when a refund failed.',
      },
    ],
    files: [
      { path: 'src/orders/order.ts', reason: 'one status more' },
      { path: 'src/orders/order-service.ts', reason: '`cancel`' },
      { path: 'src/orders/routes.ts', reason: 'the route' },
      { path: 'test/orders.test.ts', reason: 'a test per status' },
    ],
    risks: [{ risk: 'A refund fails silently.', mitigation: 'Log it as an error with the order id.' }],
  },
};

const stanceIn = (prompt) =>
  Object.keys(sketches).find((name) => prompt.includes(`Your stance: ${name}`)) ?? 'Pragmatism';

const synthesis = {
  summary:
    'Cancelling is a change of status like the others: `paid` may become `cancelled`, `shipped` may not. The service gets `cancel`, which reads the order of this customer, marks it, pays back and returns the stock, in an order that survives a crash. One route, no new machinery.',
  agreements: [
    {
      point: 'The table in src/orders/order.ts:18-23 decides who may cancel.',
      seats: ['arch', 'innovation', 'pragmatic'],
    },
    {
      point: 'Stock goes back through the helper that a declined payment uses.',
      seats: ['arch', 'edge', 'pragmatic'],
    },
    { point: '`place` is not touched.', seats: ['arch', 'pragmatic'] },
  ],
  divergences: [
    {
      topic: 'What a crash in the middle may leave behind',
      positions: [
        { position: 'A cancelled order whose refund is missing', seats: ['arch', 'pragmatic'] },
        { position: 'A paid order whose money is already back', seats: ['edge'] },
      ],
      call: 'A cancelled order whose refund is missing: it can be found and finished.',
      reason: 'A second refund cannot be taken back; a missing one can be made up for.',
    },
  ],
  ideas: [
    {
      idea: 'Keep the refund id in the order.',
      seats: ['arch', 'edge'],
      use: 'adopted',
      reason: 'It tells a finished cancellation from one that was interrupted.',
    },
    {
      idea: 'A refund that fails, in the stub gateway, for tests.',
      seats: ['edge'],
      use: 'adopted',
      reason: 'Otherwise the hard path is never run.',
    },
    {
      idea: 'Charge ten minutes later, so that most cancellations need no refund.',
      seats: ['innovation'],
      use: 'preserved',
      reason: 'Needs a job runner that the shop does not have.',
    },
    {
      idea: 'A status `cancelling` between `paid` and `cancelled`.',
      seats: ['edge'],
      use: 'declined',
      reason: 'One more state for every reader; the refund id says the same.',
    },
  ],
  highlights: null,
  contested: [
    {
      title: 'Refund before or after the status',
      chosen: 'Change the status first, then refund',
      alternative: 'Refund first, then change the status',
      tension:
        'Two sketches want the status as a lock against a second refund; one wants no customer to see “cancelled” without money.',
      impact: 'High',
      affectedFiles: ['src/orders/order-service.ts', 'src/orders/order.ts'],
      chosenSeats: ['arch', 'pragmatic'],
      alternativeSeats: ['edge'],
    },
    {
      title: 'Cancelling as an address of its own',
      chosen: 'POST /orders/:id/cancel',
      alternative: 'PATCH /orders/:id with a status',
      tension: 'The existing routes are nouns; a general PATCH would open every change of status.',
      impact: 'Medium',
      affectedFiles: ['src/orders/routes.ts'],
      chosenSeats: ['arch', 'pragmatic', 'edge'],
      alternativeSeats: ['innovation'],
    },
  ],
};

/** A synthesis whose seats, written as stances, are called by the labels of their sketches. */
function labelled(value, labels) {
  if (Array.isArray(value)) return value.map((item) => labelled(item, labels));
  if (value === null || typeof value !== 'object') return value;
  const called = (stance) => labels.find((label) => label.toLowerCase().includes(`-${stance}`)) ?? [];
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [
      key,
      /seats$/i.test(key) ? held.flatMap(called) : labelled(held, labels),
    ]),
  );
}

function defence(side, prompt) {
  const route = /PATCH \/orders/.test(prompt.slice(prompt.lastIndexOf('### DECISION_')));
  const thesis = side === 'THESIS';
  if (route)
    return {
      steelman: thesis
        ? 'A PATCH needs no new word in the address and clients know it.'
        : 'An address of its own says what it does and can do nothing else.',
      claim: thesis
        ? 'A verb in the address is the narrow door: it can only cancel.'
        : 'One address per order keeps the interface small.',
      evidence: 'The routes of orders are three, each with one effect (src/orders/routes.ts:4-27).',
      strongestConcession: thesis
        ? 'It is the first verb among nouns.'
        : 'Every change of status would have to be refused but one.',
      counterToOpposition: thesis
        ? 'A PATCH that refuses all values but one is a verb in disguise.'
        : 'The table of statuses refuses them already (src/orders/order.ts:26-31).',
      riskIfWrong: thesis ? 'One address to keep for ever.' : 'A client that sets `shipped`.',
      recommend: side,
    };
  return {
    steelman: thesis
      ? 'Nobody should read “cancelled” and wait for money.'
      : 'The status as a lock keeps a second request out.',
    claim: thesis
      ? 'Writing `cancelled` first makes the second request fail in `changeStatus`, before it reaches the gateway.'
      : 'Money is the promise; the word on the page is not. Pay back, then say so.',
    evidence: thesis
      ? '`changeStatus` throws for a change the table does not allow (src/orders/order.ts:26-31); `placed` is written before the charge in the same way (src/orders/order-service.ts:42-44).'
      : 'The gateway promises nothing about a second refund (src/payments/gateway.ts:14-19), so its id must be kept before anything else changes.',
    strongestConcession: thesis
      ? 'A crash between the two leaves a customer without money for a while.'
      : 'Two requests at once both reach the gateway.',
    counterToOpposition: thesis
      ? 'A cancelled order without a refund id is found by one query and finished; a double refund is gone.'
      : 'The gateway could be asked for the charge before the refund.',
    riskIfWrong: thesis ? 'Support pays back by hand, some days later.' : 'The shop pays twice.',
    recommend: side,
  };
}

const plan = (revised) => ({
  title: 'Let customers cancel an order before it is shipped',
  summary: `A paid order can be cancelled until it is shipped. The money goes back, the stock goes back, and a second request changes nothing.${revised ? ' A refund that fails is kept with the order and tried again.' : ''}`,
  files: [
    {
      path: 'src/orders/order.ts',
      action: 'modify',
      description: 'Add the status `cancelled`, reachable from `paid`, and the field `refundId`.',
    },
    {
      path: 'src/orders/order-service.ts',
      action: 'modify',
      description: revised
        ? 'Add `cancel`: own order, status, refund, stock; finish a cancellation that was interrupted.'
        : 'Add `cancel`: own order, status, refund, stock.',
    },
    {
      path: 'src/orders/routes.ts',
      action: 'modify',
      description: 'Add `POST /orders/:id/cancel` for the signed-in customer.',
    },
    ...(revised
      ? [
          {
            path: 'src/payments/stub-gateway.ts',
            action: 'modify',
            description: 'Let a test ask for a refund that fails.',
          },
        ]
      : []),
  ],
  approach: `DECISION_1 is followed: the status is written first and is the lock; the refund comes after it and leaves its id in the order.\n\nDECISION_2 is followed: the address can only cancel.\n\n1. \`cancel(customerId, id)\` reads the order through \`get\`, which answers “not found” for orders of others.\n2. It calls \`changeStatus(order, 'cancelled')\` and stores the result.\n3. It asks the gateway for the refund and stores the id.\n4. It returns the stock with \`#returnStock\`.${revised ? '\n\nWhen step 3 fails, the order stays cancelled without a refund id; the next request to cancel goes on at step 3 instead of failing.' : ''}`,
  edgeCases: [
    'An order that was shipped in the meantime answers with the conflict that other wrong changes answer with.',
    'An order that was never paid cannot be cancelled: there is nothing to pay back.',
    ...(revised
      ? [
          'Two requests at once: one of them finds `cancelled` with a refund id and answers with the order as it is.',
        ]
      : []),
  ],
  failureModes: [
    {
      failure: 'The refund fails after the status was written.',
      warning: 'A cancelled order without a refund id.',
      mitigation: revised
        ? 'The next request to cancel finishes it; a warning is logged with the order id.'
        : 'Log it.',
    },
    {
      failure: 'Stock is returned twice.',
      warning: 'More stock than was delivered.',
      mitigation: 'Stock is returned by whoever stored the refund id, and by nobody else.',
    },
  ],
  testing:
    'A test per status over the service; one over HTTP that cancels, looks at stock and refund, and cancels again.',
  tests: [
    {
      path: 'test/orders.test.ts',
      description: 'Who may cancel, what goes back, what a second request does.',
    },
  ],
  commands: [{ command: 'npm test', purpose: 'All tests of the shop.' }],
  symbols: [
    { name: 'changeStatus', file: 'src/orders/order.ts', state: 'existing' },
    { name: 'OrderService', file: 'src/orders/order-service.ts', state: 'existing' },
  ],
  decisions: [
    {
      id: 'DECISION_1',
      honoured: 'The status is written before the refund; a missing refund is found by its missing id.',
    },
    { id: 'DECISION_2', honoured: 'One address that can only cancel.' },
  ],
});

const raised = {
  Architecture: [
    [
      'A refund that fails is only logged',
      'Important',
      'correctness',
      'The plan writes `cancelled`, then asks for the refund, and logs a failure. Nobody reads the log: the customer stays without money, and a second request is refused by the table of statuses.',
      'Let the next request finish a cancellation that has no refund id.',
      'src/orders/order-service.ts',
      78,
      90,
    ],
  ],
  Edge: [
    [
      'Two cancels at once may both reach the gateway',
      'Important',
      'risk-integration',
      'Read and write of the order are two steps and the store has no transactions. Both requests can read `paid` before either writes.',
      'Answer the second request from the stored refund id, and say in the plan what remains.',
      'src/orders/order-service.ts',
      48,
      52,
    ],
    [
      'Stock is returned for orders that were never taken',
      'Latent',
      'correctness',
      'If taking the stock failed half way, returning all lines adds stock that was never removed.',
      'Return only what was taken.',
      'src/orders/order-service.ts',
      61,
      72,
    ],
  ],
  Innovation: [
    [
      'Charge later and most refunds disappear',
      'Nit',
      'architecture',
      'A short hold before charging would make nearly all cancellations free.',
      'Hold the charge for ten minutes.',
      'src/orders/order-service.ts',
      42,
      44,
    ],
  ],
  Pragmatism: [
    [
      'The stub gateway cannot fail a refund',
      'Important',
      'code-quality',
      'The failure mode the plan worries about most cannot be tested: the stub always pays back.',
      'Let a test ask the stub for a refund that fails.',
      'src/payments/stub-gateway.ts',
      1,
      12,
    ],
  ],
};

const review = (stance) => ({
  findings: (raised[stance] ?? []).map(
    ([title, severity, focusArea, concern, suggestedRevision, file, line, endLine]) => ({
      title,
      severity,
      focusArea,
      concern,
      suggestedRevision,
      citations: [{ file, line, endLine, quote: null }],
      outOfScope: false,
    }),
  ),
});

/** Which findings each voice rejects, and which it finds fair but out of place. */
const opinions = {
  alpha: { NO: [/never taken/], EXONERATE: [/Charge later/] },
  beta: { NO: [/Charge later/, /never taken/], EXONERATE: [] },
  gamma: { NO: [/never taken/], EXONERATE: [/Charge later/, /Two cancels/] },
};

function votes(prompt, voice) {
  const titles = [...prompt.matchAll(/^### ((?:FINDING|OOS)_\d+): (.*)$/gm)];
  const { NO, EXONERATE } = opinions[voice] ?? opinions.alpha;
  return titles.map(([, id, title]) => {
    if (NO.some((pattern) => pattern.test(title)))
      return { id, vote: 'NO', reason: 'The cited lines already guard against it.' };
    if (EXONERATE.some((pattern) => pattern.test(title)))
      return { id, vote: 'EXONERATE', reason: 'Fair, but not for this change.' };
    return { id, vote: 'YES', reason: 'The plan breaks without it, and the lines say so.' };
  });
}

/** The answer to a task, as a value; `undefined` for a task that is not scripted. */
export function shopAnswer(task, prompt, voice = 'alpha') {
  const ids = (pattern) => [...new Set([...prompt.matchAll(pattern)].map((match) => match[0]))];
  const answers = {
    questions: () => ({ questions: [] }),
    'discussion-1': () => ({ points: [] }),
    'discussion-2': () => ({ points: [] }),
    sketch: () => sketches[stanceIn(prompt)],
    synthesis: () => ({ ...labelled(synthesis, sketchLabels(prompt)), highlights: highlightsFor(prompt) }),
    'debate-thesis': () => defence('THESIS', prompt),
    'debate-antithesis': () => defence('ANTI_THESIS', prompt),
    judge: () => ({
      verdicts: ids(/DECISION_\d+/g).map((id) => {
        const second = id === 'DECISION_2';
        const other = !second && voice === 'alpha';
        return {
          decision: Number(id.slice(9)),
          vote: other ? 'ANTI_THESIS' : 'THESIS',
          rationale: second
            ? 'The narrow door cannot be misused; the table alone would have to hold.'
            : 'A missing refund can be found and made up for; a double one cannot.',
        };
      }),
    }),
    plan: () => plan(false),
    'plan-review': () => review(stanceIn(prompt)),
    'merge-findings': () => ({ clusters: ids(/ITEM_\d+/g).map((id) => ({ ids: [id], title: null })) }),
    vote: () => ({ votes: votes(prompt, voice) }),
    'revise-plan': () => ({
      plan: plan(true),
      resolutions: ids(/FINDING_\d+/g).map((id) => ({
        id,
        resolution:
          'The next request to cancel goes on where the last one stopped, told by the missing refund id.',
      })),
    }),
    diagram: () => ({
      mermaid:
        'flowchart LR\n  customer([Customer]) -->|POST /orders/:id/cancel| routes[Order routes]\n  routes --> service[OrderService.cancel]\n  service -->|1 status| store[(Store)]\n  service -->|2 refund| gateway[Payment gateway]\n  service -->|3 stock| catalogue[Catalogue]\n  table[Table of statuses] -.->|allows| service',
      reason: null,
    }),
  };
  return answers[task]?.();
}
