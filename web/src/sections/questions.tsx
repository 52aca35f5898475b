import { useState } from 'preact/hooks';
import type { Question } from '../../../src/engine/question.ts';
import type { Snapshot } from '../../../src/surfaces/web/snapshot.ts';
import { Cited } from '../cited.tsx';
import { Markdown } from '../markdown.tsx';
import type { RunStore } from '../run-store.ts';
import type { Source } from '../source.ts';

/** What the run waits for. Answers go where `charrette answer` leaves them. */
export function Questions({
  source,
  store,
  snapshot,
}: {
  source: Source;
  store: RunStore;
  snapshot: Snapshot;
}) {
  const [given, setGiven] = useState<Record<string, string>>({});
  const [sent, setSent] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string>();
  const open = snapshot.questions.filter(({ id }) => !sent.includes(id));
  if (open.length === 0 || source.report !== undefined) return null;
  const answerTo = (question: Question) => given[question.id] ?? question.recommended ?? '';
  const send = (event: Event) => {
    event.preventDefault();
    const answers = Object.fromEntries(open.map((question) => [question.id, answerTo(question)]));
    setSent([...sent, ...Object.keys(answers)]);
    source.steer(snapshot.run, 'answers', { answers }).then(
      () => {
        setProblem(undefined);
        void store.load();
      },
      (error: Error) => {
        setProblem(error.message);
        setSent(sent);
      },
    );
  };
  return (
    <form class="card questions" onSubmit={send} aria-labelledby="questions-title">
      <h2 id="questions-title">
        {open.length === 1 ? 'A question for you' : `${open.length} questions for you`}
      </h2>
      {open.map((question) => (
        <QuestionField
          key={question.id}
          question={question}
          value={answerTo(question)}
          onChange={(value) => setGiven({ ...given, [question.id]: value })}
        />
      ))}
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      <button
        type="submit"
        class="button primary"
        disabled={open.some((question) => answerTo(question) === '')}
      >
        {open.length === 1 ? 'Answer' : 'Send answers'}
      </button>
    </form>
  );
}

type FieldProps = { question: Question; value: string; onChange: (value: string) => void };

function QuestionField({ question, value, onChange }: FieldProps) {
  const { id, text, detail, options, recommended } = question;
  const name = `question-${id}`;
  return (
    <fieldset>
      <legend dir="auto">
        <Cited text={text} />
      </legend>
      {detail !== undefined && <Markdown text={detail} />}
      {options === undefined ? (
        <textarea
          rows={3}
          dir="auto"
          aria-label={text}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        options.map((option) => (
          <label key={option.value} class="option">
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={value === option.value}
              onChange={() => onChange(option.value)}
            />
            <bdi>
              <Cited text={option.label} />
            </bdi>
            {recommended === option.value && <small>recommended</small>}
          </label>
        ))
      )}
    </fieldset>
  );
}
