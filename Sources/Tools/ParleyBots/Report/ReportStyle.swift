/// The style sheet of the HTML report.
enum ReportStyle {
    static let css = """
        :root{--bg:#fbfaf8;--card:#fff;--ink:#1d2430;--soft:#667085;--line:#e4e2dd;--good:#1f7a4d;--bad:#b3261e;
        --c0:#2563a8;--c1:#c2571a;--c2:#6b4aa8;color-scheme:light dark}
        @media(prefers-color-scheme:dark){:root{--bg:#14171c;--card:#1c2027;--ink:#e6e8ec;--soft:#98a1b0;--line:#2c323c;
        --good:#4fbf86;--bad:#f2776c;--c0:#6fa8e8;--c1:#f0985c;--c2:#b79af0}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
        main{max-width:1180px;margin:0 auto;padding:28px 24px 60px}
        h1{margin:0;font-size:26px;letter-spacing:-.01em} h2{font-size:16px;margin:32px 0 10px}
        header{margin-bottom:20px} header p{margin:4px 0 0;color:var(--soft)} header .when{font-size:13px}
        .verdict{border-left:5px solid var(--good);background:var(--card);padding:12px 18px;border-radius:4px}
        .verdict.broken{border-color:var(--bad)} .verdict p{margin:0;font-weight:650;font-size:17px}
        .verdict.sound p{color:var(--good)} .verdict.broken p{color:var(--bad)}
        .verdict span{color:var(--soft);font-size:13px}
        .verdict ul{margin:8px 0 0;padding-left:18px;font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(104px,1fr));gap:12px;margin:18px 0}
        .tiles div{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:12px 14px}
        .tiles b{display:block;font-size:24px;font-weight:650;letter-spacing:-.02em;white-space:nowrap}
        .tiles i{font-style:normal;font-size:13px;color:var(--soft);margin-left:3px}
        .tiles span{color:var(--soft);font-size:13px}
        .plots{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));gap:16px} figure{grid-column:span 3}
        .plots.five figure:nth-child(n+3){grid-column:span 2} .plots.five figure:nth-child(n+3) text{font-size:17px}
        figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:12px 14px 6px}
        figcaption{font-weight:600;font-size:14px;display:flex;flex-wrap:wrap;gap:2px 12px;align-items:baseline}
        figcaption .unit{color:var(--soft);font-weight:400;margin-right:auto}
        .key{font-weight:400;font-size:13px;color:var(--soft)}
        .key:before{content:"";display:inline-block;width:14px;height:3px;border-radius:2px;margin-right:6px;vertical-align:middle}
        .key.k0:before{background:var(--c0)} .key.k1:before{background:var(--c1)} .key.k2:before{background:var(--c2)}
        svg{width:100%;height:auto;display:block} .grid{stroke:var(--line)} .tick{stroke:var(--soft)}
        .c{fill:none;stroke-width:1.8;stroke-linejoin:round} .c.k0{stroke:var(--c0)} .c.k1{stroke:var(--c1)} .c.k2{stroke:var(--c2)}
        text{fill:var(--soft);font-size:11.5px} text.y{text-anchor:end} text.x,text.t{text-anchor:middle}
        table{border-collapse:collapse;width:100%;background:var(--card);border:1px solid var(--line);font-size:14px}
        th,td{padding:6px 12px;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}
        th{color:var(--soft);font-weight:500} tr:last-child td{border-bottom:0}
        .numbers td:not(:first-child),.numbers th:not(:first-child){text-align:right;font-variant-numeric:tabular-nums}
        .numbers td:last-child:nth-child(8){text-align:left;color:var(--soft);font-size:13px}
        .numbers td:first-child{white-space:pre} .facts td:first-child{color:var(--soft);white-space:nowrap;width:1%}
        .note{color:var(--soft);font-size:13px;max-width:80ch}
        dl{margin:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:0 28px;background:var(--card);
        border:1px solid var(--line);padding:8px 14px;font-size:14px}
        dl div{display:flex;justify-content:space-between;padding:4px 0} dt{color:var(--soft)} dd{margin:0}
        @media(max-width:800px){main{padding:20px 14px 40px} .plots{grid-template-columns:1fr}
        .plots figure,.plots.five figure:nth-child(n+3){grid-column:auto}
        .plots text,.plots.five figure:nth-child(n+3) text{font-size:15px}
        .numbers td:last-child:nth-child(8),.numbers th:last-child:nth-child(8){display:none}
        th,td{padding:6px 7px;font-size:13px} .numbers td{overflow-wrap:anywhere}}
        """
}
