// The page around a replayed one: it loads captures into its frame and shows what Fonds knows of them.
(() => {
  'use strict';
  const config = document.body.dataset;
  const frame = document.querySelector('iframe');
  const part = (name) => document.getElementById(name);
  let shown = 0;

  const text = (element, value) => { element.textContent = value || ''; };
  const link = (element, version, label) => {
    element.hidden = !version;
    if (version) { element.href = version.path; element.title = version.date; text(element, label); }
  };
  const list = (element, rows) => {
    element.replaceChildren(...rows.map((row) => {
      const item = document.createElement('li');
      const url = document.createElement('span');
      const why = document.createElement('small');
      text(url, row.url);
      text(why, row.why);
      item.append(url, why);
      return item;
    }));
  };

  const update = async (path, round) => {
    const mine = shown;
    let info;
    try {
      const answer = await fetch(config.root + '/info?path=' + encodeURIComponent(path));
      if (!answer.ok) return;
      info = await answer.json();
    } catch { return; }
    if (mine !== shown) return;
    text(part('url'), info.url);
    part('url').title = info.url;
    text(part('date'), info.date);
    text(part('decision'), info.decision);
    link(part('before'), info.before, '‹ Previous');
    link(part('after'), info.after, 'Next ›');
    part('all').href = info.all;
    text(part('all'), info.versions === 1 ? '1 version' : `${info.versions} versions`);
    text(part('drift'), info.drift);
    part('missing').hidden = info.missing.length === 0;
    text(part('missing').querySelector('summary'), `missing here: ${info.missing.length}`);
    list(part('missing').querySelector('ul'), info.missing);
    document.title = `${info.date} ${info.url}`;
    // Scripts of the page go on loading for a while.
    if (round < 8) setTimeout(() => update(path, round + 1), 500 * (round + 1));
  };

  // Pages that lead to each other by script go round without end.
  let steps = [];
  const isCircle = () => {
    const now = Date.now();
    steps = [...steps.filter((step) => now - step < 5000), now];
    return steps.length > 10;
  };

  const open = (path, isNew) => {
    shown += 1;
    text(part('left'), '');
    if (isNew) history.pushState({ path }, '', config.root + path.slice(config.root.length).replace(/^\/w\/(\d*)(mp_)?\//, '/r/$1/'));
    frame.contentWindow.location.replace(config.replay + path);
    update(path, 0);
  };

  window.addEventListener('message', (event) => {
    const path = event.data && event.data.open;
    // Frames inside of the page are not the page.
    if (event.origin !== config.replay || event.source !== frame.contentWindow) return;
    if (typeof path !== 'string' || path.length >= 8192 || !path.startsWith(config.root)) return;
    if (!/^\/w\/\d*(mp_)?\//.test(path.slice(config.root.length))) return;
    if (isCircle()) text(part('left'), 'Pages here lead to each other without end: stopped');
    else open(path, true);
  });
  document.addEventListener('securitypolicyviolation', (event) => {
    if (event.effectiveDirective === 'frame-src') text(part('left'), `A script leaves the archive for ${event.blockedURI}: stopped`);
  });
  window.addEventListener('popstate', (event) => open((event.state && event.state.path) || config.path, false));
  history.replaceState({ path: config.path }, '');
  update(config.path, 0);
})();
