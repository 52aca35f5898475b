import { useEffect, useState } from 'preact/hooks';
import type { WorkflowRow } from '../../src/service/workflow-files.ts';
import type { Field, Form } from '../../src/surfaces/web/forms.ts';
import { hashOf } from './route.ts';
import type { Flags, Source } from './source.ts';
import { useLoaded } from './use-loaded.ts';

/** Starts a run with the flags of its command. */
export function NewRun({ source }: { source: Source }) {
  const { value: forms, problem } = useLoaded('forms', source.forms);
  const [chosen, setChosen] = useState<string>();
  useEffect(() => {
    document.title = 'New run · Charrette';
  }, []);
  const form = forms?.find(({ command }) => command === chosen) ?? forms?.[0];
  return (
    <div class="page narrow" aria-busy={forms === undefined && problem === undefined}>
      <p class="eyebrow">
        <a href={hashOf({})}>All runs</a>
      </p>
      <h1>New run</h1>
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      {forms !== undefined && form !== undefined && (
        <>
          {forms.length > 1 && (
            <fieldset class="filters" aria-label="Command">
              {forms.map(({ command }) => (
                <button
                  key={command}
                  type="button"
                  class="button quiet"
                  aria-pressed={command === form.command}
                  onClick={() => setChosen(command)}
                >
                  {command}
                </button>
              ))}
            </fieldset>
          )}
          <StartForm key={form.command} source={source} form={form} />
        </>
      )}
    </div>
  );
}

function StartForm({ source, form }: { source: Source; form: Form }) {
  const [text, setText] = useState('');
  const usable = form.files?.filter((each) => each.usable);
  const [file, setFile] = useState(usable?.[0]?.file);
  const [flags, setFlags] = useState<Flags>({});
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const send = (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    source
      .start({ command: form.command, text, flags, ...(file !== undefined && { file }) })
      .then(
        (run) => {
          location.hash = hashOf({ run });
        },
        (error: Error) => setProblem(error.message),
      )
      .finally(() => setBusy(false));
  };
  return (
    <form class="card questions" onSubmit={send}>
      <p class="lead">{form.summary}.</p>
      {form.files !== undefined && <Files files={form.files} chosen={file} onChoose={setFile} />}
      <label class="field wide">
        <span>{sentence(form.text)}</span>
        <textarea rows={4} dir="auto" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <div class="fields">
        {form.fields.map((field) => (
          <FlagField
            key={field.flag}
            field={field}
            value={flags[field.flag]}
            onChange={(value) => setFlags({ ...flags, [field.flag]: value })}
          />
        ))}
      </div>
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      <button
        type="submit"
        class="button primary"
        disabled={busy || (usable === undefined ? text.trim() === '' : file === undefined)}
      >
        {busy ? 'Starting…' : `Start ${form.command}`}
      </button>
    </form>
  );
}

type FilesProps = {
  files: readonly WorkflowRow[];
  chosen: string | undefined;
  onChoose: (file: string) => void;
};

/** Workflow files with the result of their check; everything they say is shown as text. */
function Files({ files, chosen, onChoose }: FilesProps) {
  if (files.length === 0)
    return (
      <p>
        No workflow files yet. Run <code>charrette workflow new NAME</code> to write one.
      </p>
    );
  return (
    <fieldset class="fields" aria-label="Workflow file">
      {files.map(({ file, name, description, usable, allowed }) => (
        <label class="option" key={file}>
          <input
            type="radio"
            name="file"
            disabled={!usable}
            checked={file === chosen}
            onChange={() => onChoose(file)}
          />
          <span dir="auto">
            <strong>{name}</strong> {description} <small>{stateOf(usable, allowed)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function stateOf(usable: boolean, allowed: boolean | undefined): string {
  if (!usable) return 'cannot be used';
  return allowed === true ? 'allowed' : 'you are asked before it runs';
}

type FieldProps = {
  field: Field;
  value: string | boolean | undefined;
  onChange: (value: string | boolean) => void;
};

function FlagField({ field, value, onChange }: FieldProps) {
  const { flag, kind, description, choices = [] } = field;
  const name = (
    <span>
      {sentence(description)} <code>{flag}</code>
    </span>
  );
  if (kind === 'switch')
    return (
      <label class="option">
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {name}
      </label>
    );
  const id = `field${flag}`;
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {kind === 'choice' ? (
        <select id={id} value={String(value ?? '')} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{field.default ?? 'default'}</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          type="text"
          value={String(value ?? '')}
          placeholder={field.default ?? field.value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1).replaceAll('`', '');
