// What the scripted agents of the tests answer to each task of the panel: always the same words.

/** The answer to a task, as a value; `undefined` for a task that is not scripted. */
export function panelAnswer(task, prompt, seat = 'seat', mode = 'plain') {
  const asks = mode === 'asks' || mode === 'asks-much';
  // Every round of review finds something new, and the first accepted finding is never answered for.
  const rounds = mode === 'rounds';
  // `narrow`: one stance alone finds something. `outside`: all that is found is out of scope. `agrees`: nothing is contested or found.
  const isQuiet =
    ['outside', 'content', 'agrees'].includes(mode) || (mode === 'narrow' && !seat.includes('arch'));
  const isRevised = prompt.includes('The limit comes from the configuration.');
  const words = (count, stem) => Array.from({ length: count }, (_, index) => `${stem}${index % 7}`).join(' ');

  const plan = (extra = '') => ({
    title: 'Limit requests per client',
    summary: `A token bucket in front of the router.${extra}`,
    files: [
      { path: 'README.md', action: 'modify', description: 'Say how the limit is set.' },
      ...(mode === 'documents'
        ? []
        : [{ path: 'src/rate-limit.ts', action: 'new', description: 'The bucket.' }]),
    ],
    approach: `${mode === 'refuses' ? '' : 'DECISION_1 is followed: '}the bucket lives in memory. The handler asks it before routing${mode === 'content' ? ' (README.md:99999)' : ''}.`,
    edgeCases: ['A clock that goes back counts as no time passed.'],
    failureModes: [
      { failure: 'The map grows.', warning: 'Memory rises.', mitigation: 'Sweep idle clients.' },
    ],
    testing: 'Unit tests of the bucket; one request test over the limit.',
    tests: [{ path: 'src/rate-limit.test.ts', description: 'The bucket.' }],
    commands: [],
    symbols: [],
    decisions:
      mode === 'refuses'
        ? []
        : [{ id: 'DECISION_1', honoured: 'The bucket lives in memory; a restart forgets it.' }],
  });

  const points = (about) => [
    {
      title: `Open ${about}`,
      question: `Which ${about}?`,
      recommended: `the small ${about}`,
      answeredByCode: null,
    },
    {
      title: `Known ${about}`,
      question: 'How many processes?',
      recommended: 'one',
      answeredByCode: 'README.md:1 says one.',
    },
  ];

  const labels = sketchLabels(prompt);
  const contested = () => ({
    title: 'Where the bucket lives',
    chosen: 'in memory',
    alternative: 'in a file',
    tension: 'Restart against speed.',
    impact: 'High',
    affectedFiles: ['README.md'],
    chosenSeats: labels.slice(0, labels.length / 2),
    alternativeSeats: labels.slice(labels.length / 2),
  });
  const ids = (pattern) => [...new Set([...prompt.matchAll(pattern)].map((match) => match[0]))];

  const answers = {
    questions: () => ({
      questions: asks
        ? ['Per what', ...(mode === 'asks-much' ? ['How fast'] : [])].map((title) => ({
            title,
            question: 'Is the limit per client?',
            recommended: 'per client',
            options: ['per client', 'per account'],
          }))
        : [],
    }),
    'discussion-1': () => ({
      points: [...(asks ? points('scope') : []), ...(mode === 'asks-much' ? points('limits') : [])],
    }),
    'discussion-2': () => ({ points: asks ? points('design') : [] }),
    sketch: () => ({
      summary: `A sketch by ${seat}.`,
      approach: `${words(90, 'word')}. See README.md:1.`,
      decisions: [
        { title: 'Where the bucket lives', choice: seat.includes('a') ? 'memory' : 'file', reason: 'simple' },
      ],
      files: [{ path: 'README.md', reason: 'documents it' }],
      risks: [{ risk: 'Memory grows.', mitigation: 'Sweep.' }],
    }),
    synthesis: () => ({
      summary: 'A token bucket in front of the router.',
      agreements: [{ point: 'A bucket per client.', seats: labels.slice(0, 1) }],
      divergences: [],
      ideas: [{ idea: 'Sweep idle clients.', seats: labels.slice(1, 2), use: 'adopted', reason: 'cheap' }],
      highlights: highlightsFor(prompt),
      contested: mode === 'agrees' ? [] : [contested()],
    }),
    'debate-thesis': () => defence('THESIS'),
    'debate-antithesis': () => defence('ANTI_THESIS'),
    judge: () => ({
      verdicts: ids(/DECISION_\d+/g)
        .filter((id) => id !== 'DECISION_N')
        .map((id) => ({
          decision: Number(id.slice(9)),
          vote: mode === 'dissents' ? 'ANTI_THESIS' : 'THESIS',
          rationale: 'The evidence holds.',
        })),
    }),
    plan: () => plan(),
    'plan-review': () => ({
      findings: [
        ...(rounds ? observations(isRevised ? 'second' : 'first') : []),
        ...(mode === 'outside' ? observations('only') : []),
        ...(isQuiet ? [] : [finding()]),
      ],
    }),
    'change-review': () => ({
      findings: isQuiet ? [] : planted(prompt, seat),
    }),
    'merge-findings': () => ({ clusters: ids(/ITEM_\d+/g).map((id) => ({ ids: [id], title: null })) }),
    vote: () => ({
      votes: ids(/(?:FINDING|OOS)_\d+/g).map((id) => ({
        id,
        vote: mode !== 'refuses' && mode !== 'outside' && (isAgreed(id) || rounds) ? 'YES' : 'NO',
        reason: 'checked',
      })),
    }),
    // A stubborn author says that everything is done and changes nothing.
    'revise-plan': () => ({
      plan: plan(
        mode === 'stubborn'
          ? ''
          : ` The limit comes from the configuration.${prompt.includes('the small design') ? ' It stays small.' : ''}${rounds && isRevised ? ' The sweep is tested.' : ''}`,
      ),
      resolutions: ids(/FINDING_\d+/g)
        .filter((id) => !(rounds && id === 'FINDING_1'))
        .map((id) => ({ id, resolution: 'The limit is read from the configuration.' })),
    }),
    // Whichever plan was revised is the better one, wherever it stands.
    compare: () => {
      const revised = prompt.indexOf('The limit comes from the configuration.');
      const second = prompt.indexOf('Plan B');
      const better = revised < 0 ? 'TIE' : revised < second ? 'A' : 'B';
      const covered = (plan) => (better === plan ? [1, 2] : [1]);
      return { better, reason: `It is configurable.`, coveredByA: covered('A'), coveredByB: covered('B') };
    },
    // One that agrees to nothing also draws what cannot be published.
    diagram: () => ({
      mermaid: `flowchart LR\n  client${mode === 'refuses' ? '[one|two]' : ''} --> limit --> router`,
      reason: null,
    }),
  };

  // The order of a review's ballot differs from run to run: there the titles count.
  function isAgreed(id) {
    if (prompt.includes('# Earlier findings')) return true;
    if (!prompt.includes('# Review ballot')) return id === 'FINDING_1';
    return prompt.includes(`### ${id}: `) && !prompt.includes(`### ${id}: secret`);
  }

  // Every added line of the change that says BUG is reported, with the words after it as its title.
  function planted(text, from) {
    let path = '';
    let line = 0;
    return text.split('\n').flatMap((each) => {
      const [, file] = /^\+\+\+ b\/(.*)$/.exec(each) ?? [];
      const [, start] = /^@@ -\S+ \+(\d+)/.exec(each) ?? [];
      if (file !== undefined) path = file;
      if (start !== undefined) line = Number(start) - 1;
      if (start !== undefined || each.startsWith('-')) return [];
      line += 1;
      const [, title] = /^\+(?!\+\+).*BUG (.*)$/.exec(each) ?? [];
      if (title === undefined) return [];
      return [
        {
          title,
          category: title.includes('secret') ? 'security' : 'correctness',
          severity: 'major',
          claim: `${title} (${from})`,
          consequence: 'It goes wrong.',
          path,
          startLine: line,
          endLine: line,
          side: 'new',
          quote: each.slice(1),
          suggestion: null,
          confidence: 75,
        },
      ];
    });
  }

  function finding() {
    return {
      title: rounds && isRevised ? 'The sweep has no test' : `The limit is not configurable (${seat})`,
      focusArea: 'architecture',
      severity: 'Important',
      concern: 'Operators cannot change it.',
      suggestedRevision: 'Read it from the configuration.',
      citations: [{ file: 'README.md', line: 1, endLine: null, quote: null }],
      outOfScope: false,
    };
  }

  function observations(round) {
    const observation = (title, focusArea) => ({
      title,
      focusArea,
      severity: 'Latent',
      concern: `${title}; seen in the ${round} round.`,
      suggestedRevision: 'Open an issue.',
      citations: [{ file: 'README.md', line: 1, endLine: null, quote: null }],
      outOfScope: true,
    });
    return [
      observation(`Logs grow without end, ${round} look`, 'risk-integration'),
      ...(round === 'first' ? [observation('The admin password is in the logs', 'security')] : []),
    ];
  }

  function defence(recommend) {
    return {
      steelman: 'The other side is simple as well.',
      claim: 'Our side is the smaller change here.',
      evidence: 'README.md:1 says that the shop is one process.',
      strongestConcession: 'A restart does forget all counts.',
      counterToOpposition: 'A restart is rare and harmless here.',
      riskIfWrong: 'Clients get a few requests more after a restart.',
      recommend,
    };
  }

  return answers[task]?.();
}

/** The labels of the sketches, as the prompt of a synthesis lists them. */
export function sketchLabels(prompt) {
  const [, listed = ''] = /In the order of the blocks: (.*)\.$/m.exec(prompt) ?? [];
  return listed.split(', ').flatMap((entry) => /^\d+ (.+)$/.exec(entry)?.[1] ?? []);
}

/** Four highlights where they are asked for. */
export function highlightsFor(prompt) {
  return prompt.includes('Add four highlights:')
    ? { architecture: [], pragmatism: [], edgeCases: ['A clock that goes back.'], innovation: [] }
    : null;
}

/** The task that a prompt is for, told by the answer it asks for. */
export function taskOf(prompt) {
  const start = prompt.indexOf('## Answer\n');
  const end = prompt.indexOf('\n\n', start);
  const schema = prompt.slice(start, end < 0 ? undefined : end);
  const has = (key) => schema.includes(`"${key}"`);
  if (has('steelman')) return /Recommend ANTI_THESIS/.test(prompt) ? 'debate-antithesis' : 'debate-thesis';
  if (has('verdicts')) return 'judge';
  if (has('coveredByA')) return 'compare';
  if (has('clusters')) return 'merge-findings';
  if (has('votes')) return 'vote';
  if (has('findings')) return has('consequence') ? 'change-review' : 'plan-review';
  if (has('mermaid')) return 'diagram';
  if (has('contested')) return 'synthesis';
  if (has('resolutions')) return 'revise-plan';
  if (has('failureModes')) return 'plan';
  if (has('risks')) return 'sketch';
  if (has('questions')) return 'questions';
  if (has('points')) return 'discussion-1';
  return undefined;
}
