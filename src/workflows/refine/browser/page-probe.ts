/// <reference lib="dom" />
/** Runs inside the page; it may use nothing but what is in this function. */
export function probePage() {
  const visible = (element: Element) => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    return box.width > 0 && box.height > 0 && style.visibility !== 'hidden' && style.display !== 'none';
  };
  const nameOf = (element: Element) => {
    const id = element.id === '' ? '' : `#${element.id}`;
    const text = (element.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 40);
    return `${element.tagName.toLowerCase()}${id}${text === '' ? '' : ` "${text}"`}`;
  };
  const hex = (colour: string) => {
    const match = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(colour);
    if (match === null || (match[4] !== undefined && Number(match[4]) < 0.5)) return undefined;
    return `#${[match[1], match[2], match[3]].map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
  };
  const elements = [...document.body.querySelectorAll('*')].filter(visible).slice(0, 5000);
  const width = document.documentElement.clientWidth;
  const area = Math.max(1, innerWidth * innerHeight);
  const count = new Map<string, number>();
  const note = (colour: string | undefined) => {
    if (colour !== undefined) count.set(colour, (count.get(colour) ?? 0) + 1);
  };
  const fonts = { headings: new Set<string>(), body: new Set<string>() };
  const gradients: { colours: string[]; share: number }[] = [];
  const stockIcons: string[] = [];
  const samples: string[] = [];
  let [values, offScale, whiteCards] = [0, 0, 0];
  for (const element of [document.body, ...elements]) {
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    note(hex(style.backgroundColor));
    note(hex(style.color));
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === 3 && (node.textContent ?? '').trim() !== '',
    );
    if (hasText) {
      const family = (style.fontFamily.split(',')[0] ?? '').replace(/["']/g, '').trim();
      (/^H[1-6]$/.test(element.tagName) ? fonts.headings : fonts.body).add(family);
    }
    if (style.backgroundImage.includes('gradient('))
      gradients.push({
        colours: (style.backgroundImage.match(/rgba?\([^)]*\)/g) ?? []).flatMap(
          (colour) => hex(colour) ?? [],
        ),
        share: Math.round((100 * box.width * Math.min(box.height, innerHeight)) / area) / 100,
      });
    const background = hex(style.backgroundColor);
    if (
      background === '#ffffff' &&
      Number.parseFloat(style.borderRadius) >= 6 &&
      style.boxShadow !== 'none' &&
      box.width < innerWidth * 0.9
    )
      whiteCards += 1;
    const classes = element.getAttribute('class') ?? '';
    if (
      /(?:^|\s)(?:fa[srlbd]?|fa-[\w-]+|material-(?:icons|symbols)[\w-]*|bi-[\w-]+|glyphicon[\w-]*|lucide[\w-]*|heroicon[\w-]*|ion-[\w-]+|ti-[\w-]+)(?:\s|$)/.test(
        classes,
      )
    )
      stockIcons.push(`${element.tagName.toLowerCase()}.${classes.split(/\s+/).slice(0, 2).join('.')}`);
    if (element === document.body || style.display === 'inline') continue;
    const sides = ['Top', 'Right', 'Bottom', 'Left'].flatMap((side) => [
      style.getPropertyValue(`margin-${side.toLowerCase()}`),
      style.getPropertyValue(`padding-${side.toLowerCase()}`),
    ]);
    for (const text of [...sides, style.rowGap, style.columnGap]) {
      const pixels = Number.parseFloat(text);
      // Centred blocks have whatever is left over as their margin.
      if (!Number.isFinite(pixels) || pixels === 0 || pixels > 96) continue;
      values += 1;
      if (Math.abs(pixels / 4 - Math.round(pixels / 4)) < 0.01) continue;
      offScale += 1;
      if (samples.length < 5) samples.push(`${nameOf(element)}: ${text}`);
    }
  }
  const actions = [...document.querySelectorAll('a[href], button, input[type=submit], [role=button]')].filter(
    visible,
  );
  const small = actions.filter((element) => {
    const box = element.getBoundingClientRect();
    const inText = element.tagName === 'A' && getComputedStyle(element).display === 'inline';
    return !inText && (box.width < 44 || box.height < 44);
  });
  const primary = document.querySelector('main button, main a[href], [data-cta], button, a[role=button]');
  return {
    width: Math.max(document.documentElement.scrollWidth, document.body.scrollWidth),
    overflowing: elements
      .filter((element) => {
        const box = element.getBoundingClientRect();
        return box.right > width + 1 && getComputedStyle(element).position !== 'fixed';
      })
      .slice(0, 5)
      .map(nameOf),
    smallTargets: small.slice(0, 10).map(nameOf),
    actionAboveFold: primary === null ? null : primary.getBoundingClientRect().bottom <= innerHeight,
    spacing: { values, offScale, samples },
    stockIcons: [...new Set(stockIcons)].slice(0, 10),
    gradients: gradients.slice(0, 20),
    whiteCards,
    text: [
      // biome-ignore lint/performance/useDomNodeTextContent: hidden text is not copy
      document.body.innerText,
      ...[...document.querySelectorAll('input[value], input[placeholder]')].map(
        (input) => `${(input as HTMLInputElement).value} ${(input as HTMLInputElement).placeholder}`,
      ),
    ]
      .join('\n')
      .slice(0, 200_000),
    fonts: { headings: [...fonts.headings].sort(), body: [...fonts.body].sort() },
    colours: [...count]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 40)
      .map(([colour]) => colour),
  };
}

/** Interactive elements that do nothing. Each is clicked without leaving the page; whatever answers is alive. */
export async function probeInteraction() {
  const visible = (element: Element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility !== 'hidden';
  };
  const nameOf = (element: Element) => {
    const text = (element.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 40);
    const id = element.id === '' ? '' : `#${element.id}`;
    return `${element.tagName.toLowerCase()}${id}${text === '' ? '' : ` "${text}"`}`;
  };
  const found = [
    ...document.querySelectorAll(
      'a, button, [role=button], input[type=button], input[type=submit], [onclick]',
    ),
  ]
    .filter(
      (element) =>
        visible(element) &&
        !(element as HTMLButtonElement).disabled &&
        element.getAttribute('aria-disabled') !== 'true',
    )
    .slice(0, 200);
  const dead: string[] = [];
  let alive = false;
  const live = () => {
    alive = true;
  };
  // Going elsewhere is an answer, but the page stays.
  (window as { navigation?: EventTarget }).navigation?.addEventListener('navigate', (event) => {
    live();
    if (!(event as { hashChange?: boolean }).hashChange) event.preventDefault();
  });
  window.open = () => {
    live();
    return null;
  };
  const links: { name: string; target: string }[] = [];
  for (const element of found) {
    if (!element.isConnected) continue;
    const href = element.tagName === 'A' ? element.getAttribute('href') : null;
    if (href !== null && /^(?:mailto|tel|sms):./i.test(href)) continue;
    if (href?.startsWith('#') && href.length > 1) {
      const target = decodeURIComponent(href.slice(1));
      if (target === 'top' || document.getElementById(target) !== null) continue;
    } else if (href !== null && href !== '' && href !== '#' && !/^javascript:/i.test(href)) {
      const url = new URL(href, location.href);
      if (url.origin === location.origin) links.push({ name: nameOf(element), target: url.href });
      continue;
    }
    alive = false;
    const observer = new MutationObserver(live);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const stop = (event: Event) => {
      if (event.defaultPrevented) alive = true;
      event.preventDefault();
    };
    const submit = (event: Event) => {
      alive = true;
      event.preventDefault();
    };
    const before = `${location.href} ${scrollX} ${scrollY} ${history.length}`;
    const focused = document.activeElement;
    window.addEventListener('submit', submit, true);
    element.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, cancelable: true }));
    element.dispatchEvent(new PointerEvent('pointerup', { bubbles: true, cancelable: true }));
    const isSubmit =
      (element as HTMLButtonElement).type === 'submit' && (element as HTMLButtonElement).form !== null;
    if (!isSubmit) window.addEventListener('click', stop);
    (element as HTMLElement).click();
    await new Promise((resolve) => setTimeout(resolve, 60));
    window.removeEventListener('click', stop);
    window.removeEventListener('submit', submit, true);
    observer.disconnect();
    // A form whose fields are not filled refuses to submit; that is an answer too.
    if (isSubmit && (element as HTMLButtonElement).form?.checkValidity() === false) alive = true;
    if (
      `${location.href} ${scrollX} ${scrollY} ${history.length}` !== before ||
      document.activeElement !== focused
    )
      alive = true;
    if (!alive) dead.push(nameOf(element));
  }
  for (const { name, target } of links) {
    const answer = await fetch(target, { method: 'HEAD' }).catch(() => undefined);
    if (answer === undefined || !answer.ok) dead.push(`${name} leads nowhere`);
  }
  return dead;
}
