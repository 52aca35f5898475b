import type { Sketch } from '../../base/schema/judgements/design.ts';
import type { Method } from './methods.ts';
import type { Study } from './study.ts';
import { aim, counted, joined } from './wording.ts';

type Risk = Sketch['risks'][number];

/** Risks that can be seen in the repository, those of the method first. */
export function risksOf(study: Study, method: Method): Risk[] {
  const { targets, index } = study;
  const wide = targets.filter(({ importers }) => importers.length >= 3);
  const open = targets.filter(({ surface }) => surface !== undefined);
  const bare = targets.filter(({ tests }) => tests.length === 0);
  const risks: (Risk & { method: Method })[] = [
    ...wide.map(({ path, importers }) => ({
      method: 'smallest' as const,
      risk: `${path} is imported by ${counted(importers.length, 'file')} (${joined(importers.slice(0, 3))}); a changed signature breaks them.`,
      mitigation: 'Only add; leave present signatures and their results as they are.',
    })),
    ...open.map(({ path, surface }) => ({
      method: 'reuse' as const,
      risk: `${path} is public: ${surface?.why ?? ''}. Callers outside the repository cannot be seen from here.`,
      mitigation: 'Only add, and document the addition.',
    })),
    ...bare.map(({ path }) => ({
      method: 'test-first' as const,
      risk: `No test is near ${path}; a regression would go unnoticed.`,
      mitigation: `Write a test of its present behaviour before changing it.`,
    })),
    ...targets
      .filter(({ path }) => (index.history.touches.get(path)?.length ?? 0) >= 5)
      .map(({ path }) => ({
        method: 'history' as const,
        risk: `${path} changed in ${counted(index.history.touches.get(path)?.length ?? 0, 'earlier commit')}; others may be working on it.`,
        mitigation: 'Keep the change to it small and land it early.',
      })),
  ];
  const ordered = [
    ...risks.filter((risk) => risk.method === method),
    ...risks.filter((risk) => risk.method !== method),
  ];
  const found = ordered.slice(0, 5).map(({ risk, mitigation }) => ({ risk, mitigation }));
  return found.length > 0
    ? found
    : [
        {
          risk: `The rules see no special risk in ${aim(study)}; they do not understand what it means.`,
          mitigation: 'Have a person or a model read the plan.',
        },
      ];
}
